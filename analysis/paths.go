package analysis

import (
	"fmt"
	"slices"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// PathTimes are the times of the answers that took one path, as the node marked
// it: what a cold start or a wait for a busy worker costs. The run's counters
// keep no times a path, so they are of the rows: of a run whose rows are sampled,
// of those that have one.
type PathTimes struct {
	Phase    string       `json:"phase"` // all cycles of it; empty for the run
	Path     string       `json:"path"`
	OK       uint64       `json:"ok"`       // answers that took it, with a row or without
	Response Distribution `json:"response"` // n of them have a row
	Service  Distribution `json:"service"`
}

// Sampled reports whether answers are missing in the times.
func (p *PathTimes) Sampled() bool { return p.Response.N < p.OK }

// A pathClock gathers the times a path while rows are read: of each measured
// phase, a bounded number, and of all other phases together.
type pathClock struct {
	phases []string // measured ones
	at     []int    // by phase of the manifest: 1 + its place in phases, 0 for the others
	times  []pathDistributions
}

type pathDistributions [rundir.NumPaths]struct{ response, service rundir.Distribution }

func newPathClock(m *rundir.Manifest) *pathClock {
	c := &pathClock{phases: measuredNames(m), at: make([]int, len(m.Phases))}
	for i, p := range m.Phases {
		if p.Measure != "" {
			c.at[i] = 1 + slices.Index(c.phases, p.Name)
		}
	}
	c.times = make([]pathDistributions, 1+len(c.phases))
	return c
}

// add takes a row whose phase is one of the manifest's.
func (c *pathClock) add(s *rundir.Sample) {
	if s.Outcome != rundir.OK || s.Path == rundir.PathUnknown {
		return
	}
	d := &c.times[c.at[s.Phase]][s.Path]
	d.response.Add(s.Done - s.Scheduled)
	d.service.Add(s.Done - s.Sent)
}

// pathTimes are those of the run and of each measured phase, by path; none
// without rows or marks.
func (c *pathClock) pathTimes(m *rundir.Manifest, tallies []rundir.Tally, total *rundir.Tally) []PathTimes {
	var run pathDistributions
	for i := range c.times {
		for p := range run {
			run[p].response.Merge(&c.times[i][p].response)
			run[p].service.Merge(&c.times[i][p].service)
		}
	}
	out := append([]PathTimes{}, pathTimesOf("", &run, total)...)
	for i, name := range c.phases {
		g := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == name && p.Measure != "" })
		out = append(out, pathTimesOf(name, &c.times[1+i], &g.tally)...)
	}
	return out
}

// pathTimesOf leaves out paths that no row took.
func pathTimesOf(phase string, times *pathDistributions, counted *rundir.Tally) (out []PathTimes) {
	for p := rundir.PathWarm; p < rundir.NumPaths; p++ {
		if t := &times[p]; t.response.N > 0 {
			out = append(out, PathTimes{phase, p.String(), counted.Paths[p], distributionOf(&t.response), distributionOf(&t.service)})
		}
	}
	return out
}

// ofPath is the account of one path, of a measured phase where one is named: ok
// and times. What failed took none. A path that no answer took has no times.
func (s *Summary) ofPath(phase, path string) (*Account, error) {
	var known []string
	for p := rundir.PathWarm; p < rundir.NumPaths; p++ {
		known = append(known, p.String())
	}
	var measured []string
	for _, m := range s.Measured {
		measured = append(measured, m.Name)
	}
	switch {
	case !slices.Contains(known, path):
		return nil, fmt.Errorf("%w: %s", ErrNoPart, profiles.UnknownName("path", path, known))
	case phase != "" && !slices.Contains(measured, phase):
		return nil, fmt.Errorf("%w: paths are kept apart in phases with `measure: cold`: %s", ErrNoPart, profiles.UnknownName("phase", phase, measured))
	case len(s.PathTimes) == 0:
		return nil, fmt.Errorf("%w: no row of an answer tells its path", ErrNoPart)
	}
	for _, p := range s.PathTimes {
		if p.Phase == phase && p.Path == path {
			return &Account{Counts: Counts{OK: p.OK}, Response: p.Response, Service: p.Service}, nil
		}
	}
	return &Account{}, nil
}
