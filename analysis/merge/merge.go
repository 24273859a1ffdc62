// Package merge makes one run directory of several runs of one experiment:
// histograms added counter by counter, extremes and sums exact, rows renumbered.
// It decides what the union means in time, and refuses runs whose numbers have
// other denominators: another profile, producer or threshold, or times that
// only partly overlap. Shares of one run make that run again, and only all of
// them do.
package merge

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// ErrUnlike is wrapped by every refusal.
var ErrUnlike = errors.New("cannot merge")

// A Union is what was merged.
type Union struct {
	Dir      string   `json:"dir"`
	Together bool     `json:"together"` // at the same time: rates add; else one after the other: lengths add, gaps left out
	Shared   bool     `json:"shared"`   // the parts are shares of one run
	Parts    []Part   `json:"parts"`
	Rate     *float64 `json:"sent_rps"`
	Sent     uint64   `json:"sent"`
	Seconds  float64  `json:"seconds"`
}

// A Part is one of the runs by itself.
type Part struct {
	Dir     string   `json:"dir"`
	Seed    uint64   `json:"seed"`
	Started string   `json:"started_utc"`
	Sent    uint64   `json:"sent"`
	Seconds float64  `json:"seconds"`
	Rate    *float64 `json:"sent_rps"`
}

// Options name the program that merges, for the manifest.
type Options struct {
	Parent  string // the union is made below it
	Version string
	Argv    []string
}

// A part of the union, read.
type part struct {
	run      *rundir.Run
	accounts rundir.Accounts
	warnings []string
	config   rundir.Config
}

// Merge writes the union of runs and returns what it is.
func Merge(dirs []string, o Options) (*Union, error) {
	parts, err := readAll(dirs)
	if err != nil {
		return nil, err
	}
	parts, keeper, shared, err := takeShares(parts)
	if err != nil {
		return nil, err
	}
	if err := likeness(parts); err != nil {
		return nil, err
	}
	together, err := relation(parts)
	if err != nil {
		return nil, err
	}
	if shared && !together && len(parts) > 1 {
		return nil, fmt.Errorf("%w: shares of one run that were played one after the other", ErrUnlike)
	}
	p := plan{parts: parts, together: together || shared, shared: shared, keeper: keeper}
	m, err := p.manifest(o)
	if err != nil {
		return nil, err
	}
	draft, err := rundir.Create(o.Parent, rundir.Stamp(time.Now()), m.Profile, m.Mode, "merged", m.ID())
	if err != nil {
		return nil, err
	}
	if err := p.write(draft, m); err != nil {
		return nil, errors.Join(fmt.Errorf("merge: %w", err), draft.Discard())
	}
	dir, err := draft.Seal()
	if err != nil {
		return nil, errors.Join(err, draft.Discard())
	}
	return p.union(dir, m), nil
}

// readAll opens every run and tells all that cannot be used.
func readAll(dirs []string) ([]*part, error) {
	if len(dirs) < 2 {
		return nil, fmt.Errorf("%w: %d run: want two or more", ErrUnlike, len(dirs))
	}
	var parts []*part
	var faults []error
	seen := map[rundir.Identity]string{}
	for _, dir := range dirs {
		p, err := readOne(dir)
		switch {
		case err != nil:
			faults = append(faults, err)
			continue
		case seen[p.run.Manifest.Identity()] != "":
			faults = append(faults, fmt.Errorf("%w: %s and %s are the same run", ErrUnlike, seen[p.run.Manifest.Identity()], dir))
		case !p.run.Sealed || p.run.Manifest.Interruption != "" || p.run.Manifest.TargetLost != "":
			faults = append(faults, fmt.Errorf("%w: %s is partial: its rates are of a schedule that was not played", ErrUnlike, dir))
		}
		seen[p.run.Manifest.Identity()] = dir
		parts = append(parts, p)
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return int(max(min(a.start()-b.start(), 1), -1)) })
	return parts, errors.Join(faults...)
}

func readOne(dir string) (*part, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	p := &part{run: run}
	if p.accounts, p.warnings, err = analysis.ReadAccounts(run); err != nil {
		return nil, err
	}
	p.config, err = rundir.ReadConfig(dir)
	return p, err
}

// start is on the clock that all parts have in common, as far as that is known.
func (p *part) start() int64 {
	m := p.run.Manifest
	if m.Start != nil && m.Start.ClockOffsetNS != nil {
		return m.StartedUnixNS - *m.Start.ClockOffsetNS
	}
	return m.StartedUnixNS
}

func (p *part) end() int64 { return p.start() + p.run.Manifest.ElapsedNS }

// likeness refuses runs whose numbers are about other things.
func likeness(parts []*part) error {
	var faults []error
	a := parts[0]
	for _, b := range parts[1:] {
		differ := func(what string) {
			faults = append(faults, fmt.Errorf("%w: %s and %s %s", ErrUnlike, a.run.Dir, b.run.Dir, what))
		}
		if x, y := a.run.Manifest, b.run.Manifest; x.Producer != y.Producer {
			differ(fmt.Sprintf("are of %s and %s: measured and simulated times do not mix", x.Producer, y.Producer))
		} else if changes := a.config.Changes(b.config); len(changes) > 0 {
			differ("have other profiles: " + changes[0] + more(len(changes)-1))
		} else if !slices.EqualFunc(x.Phases, y.Phases, samePhase) || !slices.Equal(x.Functions, y.Functions) {
			differ("have other phases or functions")
		} else if a.threshold() != b.threshold() {
			differ(fmt.Sprintf("have other cold thresholds: %v and %v", a.threshold(), b.threshold()))
		}
	}
	return errors.Join(faults...)
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func (p *part) threshold() time.Duration {
	for _, t := range p.accounts.All() {
		return t.ColdThreshold
	}
	return 0
}

func samePhase(a, b rundir.PhaseFact) bool {
	a.Planned, b.Planned = 0, 0 // of another seed
	return a == b
}

// togetherShare of the shorter run has to overlap for two to be at the same time.
const togetherShare = 0.9

// relation says whether the runs were at the same time (parts of one load) or
// one after the other (trials). Anything between has no rate: a second of it
// belongs to one run here and to two there. Virtual time is never shared.
func relation(parts []*part) (together bool, err error) {
	if parts[0].run.Manifest.Producer == rundir.ProducerTwin {
		return false, nil
	}
	apart, same := true, true
	worst := ""
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			overlap := min(a.end(), b.end()) - max(a.start(), b.start())
			shorter := min(a.end()-a.start(), b.end()-b.start())
			if overlap > 0 {
				apart = false
			}
			if float64(overlap) < togetherShare*float64(shorter) {
				same = false
			}
			if overlap > 0 && float64(overlap) < togetherShare*float64(shorter) {
				worst = fmt.Sprintf("%s and %s overlap for %v of %v", a.run.Dir, b.run.Dir, time.Duration(overlap).Round(time.Millisecond), time.Duration(shorter).Round(time.Millisecond))
			}
		}
	}
	switch {
	case apart:
		return false, nil
	case same:
		return true, nil
	case worst == "":
		worst = "some ran at the same time, some one after the other"
	}
	return false, fmt.Errorf("%w: neither at the same time nor one after the other: %s", ErrUnlike, worst)
}
