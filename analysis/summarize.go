package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// Summarize reads the raw files of a run directory, sealed or partial. It fails
// with rundir.ErrNotARun on a directory that is none, else with
// rundir.ErrUnreadable: on damaged files, all of them at once, and on counts that
// do not reconcile (rundir.ErrConservation).
func Summarize(dir string) (*Summary, error) {
	s, _, err := SummarizePart(dir, Part{})
	return s, err
}

// A Part of a run is a phase in all its cycles, a function, a path (of a measured
// phase, where there is one), or, with none of them, all of it.
type Part struct {
	Phase    string
	Function string
	Path     string
}

// Whole reports whether the part is the whole run.
func (p Part) Whole() bool { return p == Part{} }

// SummarizePart is Summarize with the account of one part.
func SummarizePart(dir string, part Part) (*Summary, *Account, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	s, tallies, err := summarize(run)
	if err != nil {
		return nil, nil, err
	}
	account := &s.Account
	switch {
	case part.Path != "":
		if account, err = s.ofPath(part.Phase, part.Path); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", run.Dir, err)
		}
	case part.Phase != "":
		m := run.Manifest
		g := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == part.Phase })
		if len(g.phases) == 0 {
			return nil, nil, fmt.Errorf("%s: %w: %s", run.Dir, ErrNoPart, profiles.UnknownName("phase", part.Phase, phaseNames(m)))
		}
		of := accountOf(&g.tally, g.extent)
		account = &of
	case part.Function != "":
		i := slices.Index(run.Manifest.Functions, part.Function)
		if i < 0 {
			return nil, nil, fmt.Errorf("%s: %w: %s", run.Dir, ErrNoPart, profiles.UnknownName("function", part.Function, run.Manifest.Functions))
		}
		account = &s.Functions[i].Account
	}
	return s, account, nil
}

// ErrNoPart marks a question about a phase, a function or a path the run does not have.
var ErrNoPart = errors.New("no such part of the run")

// summarize also gives the tallies of the phases.
func summarize(run *rundir.Run) (*Summary, []rundir.Tally, error) {
	m := run.Manifest
	// Whatever is damaged is told, not the first of it.
	paths := newPathClock(m)
	accounts, rowWarnings, accountsErr := readAccounts(run, paths.add)
	sampled, resourceWarnings, resourcesErr := loadResources(run)
	seconds, seriesWarnings, seriesErr := loadSeconds(run)
	eventWarnings, eventsErr := checkEvents(run)
	if err := errors.Join(accountsErr, resourcesErr, seriesErr, eventsErr); err != nil {
		return nil, nil, err
	}
	tallies := accounts.Phases
	total := rundir.Sum(tallies)
	if err := total.Check(); err != nil {
		return nil, nil, rundir.Unreadable(fmt.Errorf("%s: %w", run.Dir, err))
	}
	s := &Summary{
		SchemaVersion: SchemaVersion,
		Warnings:      append([]string{}, m.Warnings...),
		Run:           runFacts(m),
		Parts:         startsOf(m),
		Account:       accountOf(&total, extent{m.Planned, played(m, 0, m.DurationNS), lateAfter(m)}),
		Phases:        make([]Phase, len(tallies)),
		Functions:     functionsOf(m, accounts.Functions),
		Policy:        policyOf(m),
	}
	for i, p := range m.Phases {
		s.Phases[i] = Phase{
			Name: p.Name, Cycle: p.Cycle, Kind: p.Kind, Measure: p.Measure, StartNS: p.StartNS, LengthNS: p.LengthNS,
			Account: accountOf(&tallies[i], extent{p.Planned, played(m, p.StartNS, p.LengthNS), lateAfter(m)}),
		}
		s.Run.Cycles = max(s.Run.Cycles, p.Cycle)
	}
	s.Measured, s.Intervals, s.PathTimes = measured(m, tallies), quantileIntervals(m, tallies, &total), paths.pathTimes(m, tallies, &total)
	if m.ColdAuto && run.Has(rundir.SamplesFile) {
		calibration, err := Calibrate(run.Dir)
		if err != nil {
			return nil, nil, err
		}
		s.ColdAuto = calibration.Parts
	}
	s.Resources, s.Generator = sampled.resources(), generatorOf(m, sampled.openFiles)
	for _, warnings := range [][]string{
		startWarnings(startsOf(m)), rowWarnings, resourceWarnings, seriesWarnings, eventWarnings, run.Gaps(),
		seconds.deathWarnings(m, &total), modeWarnings(m, tallies), countWarnings(m, &total),
	} {
		s.Warnings = append(s.Warnings, warnings...)
	}
	var err error
	if s.Thresholds, err = checkThresholds(m, tallies, s); err != nil {
		return nil, nil, rundir.Unreadable(fmt.Errorf("%s: %w", run.Dir, err))
	}
	s.judge(run, &total, seconds)
	return s, tallies, nil
}

func runFacts(m *rundir.Manifest) RunFacts {
	return RunFacts{
		Producer: m.Producer, Profile: m.Profile, Mode: m.Mode, Target: m.Target, Worker: m.Worker, Work: m.Work,
		Seed: m.Seed, ScheduleHash: m.ScheduleHash,
		StartedUTC: m.StartedUTC, DurationNS: m.DurationNS, ElapsedNS: m.ElapsedNS,
	}
}

// played is how many seconds of a stretch of the schedule were played before a
// stop: a rate over seconds that never came would be too low.
func played(m *rundir.Manifest, start, length int64) float64 {
	if m.StoppedNS > 0 {
		length = min(length, max(m.StoppedNS-start, 0))
	}
	return float64(length) / 1e9
}

// measured puts the cycles of each phase with `measure: cold` side by side.
func measured(m *rundir.Manifest, tallies []rundir.Tally) []Measured {
	out := []Measured{}
	for _, name := range measuredNames(m) {
		group := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == name && p.Measure != "" })
		entry := Measured{Name: name, All: accountOf(&group.tally, group.extent)}
		for _, i := range group.phases {
			entry.Cycles = append(entry.Cycles, CycleCold{
				Cycle: m.Phases[i].Cycle, Scheduled: tallies[i].Scheduled, OK: tallies[i].OK(), Cold: coldOf(&tallies[i]),
			})
		}
		out = append(out, entry)
	}
	return out
}

// measuredNames lists names of measured phases once each, in order.
func measuredNames(m *rundir.Manifest) []string {
	var names []string
	seen := map[string]bool{}
	for _, p := range m.Phases {
		if p.Measure != "" && !seen[p.Name] {
			seen[p.Name] = true
			names = append(names, p.Name)
		}
	}
	return names
}

// A group is some phases taken together.
type group struct {
	phases []int
	tally  rundir.Tally
	extent
}

func gather(m *rundir.Manifest, tallies []rundir.Tally, in func(rundir.PhaseFact) bool) group {
	g := group{extent: extent{late: lateAfter(m)}}
	for i, p := range m.Phases {
		if !in(p) {
			continue
		}
		g.phases = append(g.phases, i)
		g.tally.Merge(&tallies[i])
		g.planned += p.Planned
		g.seconds += played(m, p.StartNS, p.LengthNS)
	}
	return g
}

func functionsOf(m *rundir.Manifest, tallies []rundir.Tally) []Function {
	out := make([]Function, len(tallies))
	for i := range tallies {
		out[i] = Function{m.Functions[i], accountOf(&tallies[i], extent{tallies[i].Scheduled, played(m, 0, m.DurationNS), lateAfter(m)})}
	}
	return out
}

// lateAfter is the lag in ns above which a request counts as late.
func lateAfter(m *rundir.Manifest) int64 { return int64(lateLag + m.Quantum()) }

// policyOf reads the node's own account. A node of somebody else's has none,
// and a node that never decided has no times.
func policyOf(m *rundir.Manifest) Policy {
	out := Policy{Name: m.Mode}
	if m.Mode == rundir.ModeURL {
		out.Name = ""
	}
	var node struct {
		Policy struct {
			Name      string `json:"name"`
			Decisions int64  `json:"decisions"`
			P50       *int64 `json:"decide_p50_ns"`
			P99       *int64 `json:"decide_p99_ns"`
		} `json:"policy"`
	}
	if len(m.Node) == 0 || json.Unmarshal(m.Node, &node) != nil {
		return out
	}
	if node.Policy.Name != "" {
		out.Name = node.Policy.Name
	}
	if node.Policy.Decisions > 0 {
		out.DecideP50NS, out.DecideP99NS = node.Policy.P50, node.Policy.P99
	}
	return out
}

// WriteSummary writes summary.json beside the files it was made from.
func WriteSummary(dir string, s *Summary) error {
	data, err := rundir.EncodeJSON(s)
	if err != nil {
		return err
	}
	return rundir.Replace(dir, rundir.SummaryFile, data)
}
