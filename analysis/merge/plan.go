package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"edgebench/analysis/rundir"
)

// A plan is where every part goes in the union. Of runs at the same time each
// keeps its own clock and rates add. Of runs one after the other, the same
// phases are put end to end: phase by phase, so that the union has the phases
// of one run, each as long as all of them together, and no gap.
//
// Shares of one run are that run: of the same requests, which keep their
// numbers, on the same clock.
type plan struct {
	parts    []*part
	together bool
	shared   bool
	keeper   *part   // of the node, for shares; nil for none
	seconds  *series // of shares, once they are written
}

// copies is how often a phase is played in the time of the union.
func (p *plan) copies() int64 {
	if p.together {
		return 1
	}
	return int64(len(p.parts))
}

func (p *plan) manifest(o Options) (*rundir.Manifest, error) {
	first := p.parts[0].run.Manifest
	m := *first
	m.Versions, m.Argv = map[string]string{"loadgen": o.Version}, o.Argv
	m.Limits = map[string]any{"merged_runs": p.dirs(), "merged_together": p.together}
	m.Node, m.Generator, m.Warnings = nil, nil, []string{}
	m.Planned, m.RowsLost, m.RowsSkipped, m.EventsLost = 0, 0, 0, 0
	m.Phases = slices.Clone(first.Phases)
	for i := range m.Phases {
		m.Phases[i].Planned = 0
		if p.together {
			m.Phases[i].FromRPS *= float64(len(p.parts))
			m.Phases[i].ToRPS *= float64(len(p.parts))
		}
		m.Phases[i].StartNS *= p.copies()
		m.Phases[i].LengthNS *= p.copies()
	}
	m.DurationNS *= p.copies()
	m.ElapsedNS = 0
	var schedules []string
	for _, part := range p.parts {
		x := part.run.Manifest
		m.Planned += x.Planned
		m.RowsLost += x.RowsLost
		m.RowsSkipped += x.RowsSkipped
		m.EventsLost += x.EventsLost
		for i := range m.Phases {
			m.Phases[i].Planned += x.Phases[i].Planned
		}
		if p.together {
			m.ElapsedNS = max(m.ElapsedNS, x.ElapsedNS)
		} else {
			m.ElapsedNS += x.ElapsedNS
		}
		schedules = append(schedules, x.ScheduleHash)
		for _, w := range append(slices.Clone(x.Warnings), part.warnings...) {
			if line := p.nameOf(part) + ": " + w; !slices.Contains(m.Warnings, line) {
				m.Warnings = append(m.Warnings, line)
			}
		}
		if x.Quantum() > m.Quantum() {
			m.Limits[rundir.LimitQuantum] = int64(x.Quantum())
		}
	}
	m.ScheduleHash = joined(schedules)
	if p.shared {
		return &m, p.describeShares(&m)
	}
	how := "one after the other: lengths add, gaps are left out"
	if p.together {
		how = "at the same time: rates add"
	}
	m.Warnings = append(m.Warnings, fmt.Sprintf("merged of %d runs, %s; memory, CPU and events stay with the runs", len(p.parts), how))
	return &m, nil
}

// nameOf is how a warning of a part is told from the others'.
func (p *plan) nameOf(part *part) string {
	if name := part.run.Manifest.PartName(); name != "" {
		return name
	}
	return filepath.Base(part.run.Dir)
}

// describeShares says of the union what it has of a whole run, and of each part.
func (p *plan) describeShares(m *rundir.Manifest) error {
	m.Share, m.Start = nil, nil
	m.Generator = generatorsTogether(p.parts)
	all := p.parts
	if k := p.keeper; k != nil {
		all = append(all[:len(all):len(all)], k)
		x := k.run.Manifest
		// The node's samples and events are on its host's clock.
		m.StartedUnixNS, m.StartedUTC, m.Node, m.EventsLost = x.StartedUnixNS, x.StartedUTC, x.Node, x.EventsLost
		m.Versions["target"] = x.Versions["target"]
		for _, w := range x.Warnings {
			m.Warnings = append(m.Warnings, "target: "+w)
		}
	}
	for _, part := range all {
		described, err := partOf(part)
		if err != nil {
			return err
		}
		m.Parts = append(m.Parts, described)
	}
	return nil
}

func (p *plan) dirs() []string {
	out := make([]string, len(p.parts))
	for i, part := range p.parts {
		out[i] = filepath.Base(part.run.Dir)
	}
	return out
}

// joined is the hash of hashes, or the one they all are.
func joined(hashes []string) string {
	if !slices.ContainsFunc(hashes, func(h string) bool { return h != hashes[0] }) {
		return hashes[0]
	}
	h := sha256.New()
	for _, one := range hashes {
		fmt.Fprintln(h, one)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p *plan) write(d *rundir.Draft, m *rundir.Manifest) error {
	yaml, err := p.parts[0].run.Profile()
	if err == nil {
		err = d.WriteProfile(yaml)
	}
	if err != nil {
		return err
	}
	if p.shared {
		if err := p.keepOwn(d, m); err != nil {
			return err
		}
		if p.seconds, err = addSeconds(p.parts); err != nil {
			return err
		}
	}
	if err := p.writeRows(d, m); err != nil {
		return err
	}
	if p.seconds != nil {
		if err := p.seconds.write(d); err != nil {
			return err
		}
	}
	union := rundir.NewAccounts(m, p.parts[0].threshold())
	all := union.All()
	for _, part := range p.parts {
		for i, t := range part.accounts.All() {
			all[i].Merge(t)
		}
	}
	if err := d.WriteTotals(m, union); err != nil {
		return err
	}
	return d.WriteManifest(m)
}

// writeRows copies the rows, renumbered and moved to where their phase is in the
// union. Where a run has no rows the union has none: half of them would look
// like all.
func (p *plan) writeRows(d *rundir.Draft, m *rundir.Manifest) error {
	for _, part := range p.parts {
		if !part.run.Has(rundir.SamplesFile) {
			m.Warnings = append(m.Warnings, fmt.Sprintf("%s has no %s: the union has none", part.run.Dir, rundir.SamplesFile))
			return nil
		}
	}
	w, err := d.Samples()
	if err != nil {
		return err
	}
	base := uint64(0)
	batch := make([]rundir.Sample, 0, 1024)
	for k, part := range p.parts {
		x := part.run.Manifest
		notes, err := rundir.ReadSamples(part.run.Dir, func(s *rundir.Sample) error {
			row := *s
			row.Index += base
			if p.seconds != nil {
				p.seconds.add(s)
			}
			if !p.together {
				from := x.Phases[s.Phase]
				shift := m.Phases[s.Phase].StartNS + int64(k)*from.LengthNS - from.StartNS
				row.Scheduled += shift
				row.Sent += shift
				row.Done += shift
			}
			if batch = append(batch, row); len(batch) < cap(batch) {
				return nil
			}
			err := w.WriteSamples(batch)
			batch = batch[:0]
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// What a damaged file lost is in no row of the union either.
		m.RowsLost += part.scheduled() - notes.Rows - min(x.RowsLost+x.RowsSkipped, part.scheduled()-notes.Rows)
		if !p.shared {
			base += x.Planned
		}
	}
	return w.WriteSamples(batch)
}

func (p *part) scheduled() uint64 { return rundir.Sum(p.accounts.Phases).Scheduled }

func (p *plan) union(dir string, m *rundir.Manifest) *Union {
	u := &Union{Dir: dir, Together: p.together, Shared: p.shared, Seconds: float64(m.DurationNS) / 1e9}
	for _, part := range p.parts {
		x, total := part.run.Manifest, rundir.Sum(part.accounts.Phases)
		one := Part{Dir: part.run.Dir, Seed: x.Seed, Started: x.StartedUTC, Sent: total.Sent(), Seconds: float64(x.DurationNS) / 1e9}
		one.Rate = rate(one.Sent, one.Seconds)
		u.Parts = append(u.Parts, one)
		u.Sent += one.Sent
	}
	u.Rate = rate(u.Sent, u.Seconds)
	return u
}

func rate(n uint64, seconds float64) *float64 {
	if seconds <= 0 {
		return nil
	}
	return new(float64(n) / seconds)
}
