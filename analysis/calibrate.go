package analysis

import (
	"fmt"
	"path/filepath"

	"edgebench/analysis/cold"
	"edgebench/analysis/rundir"
)

// A Calibration proposes cold thresholds for a run: for the whole of it and for
// each measured phase, from the service times alone, held against the truth
// where answers were marked.
type Calibration struct {
	Run       string            `json:"run"`
	Profile   string            `json:"profile"`
	Mode      string            `json:"mode"`
	Simulated bool              `json:"simulated"`
	Parts     []CalibrationPart `json:"parts"`
	Warnings  []string          `json:"warnings"`
}

// A CalibrationPart is one phase in all its cycles, or the whole run.
type CalibrationPart struct {
	Phase string `json:"phase"` // empty for the run
	OK    uint64 `json:"ok"`
	Cold  uint64 `json:"cold"` // by the mark
	Warm  uint64 `json:"warm"`

	Above    *uint64         `json:"above"` // of ok, above the split's threshold; null without one
	Split    cold.Split      `json:"split"`
	Current  *cold.Confusion `json:"current"`  // the profile's threshold; null without one or without marks
	Proposed *cold.Confusion `json:"proposed"` // the split's; null without one or without marks
	Best     *cold.Confusion `json:"best"`     // the least sum of both error rates a threshold can have; null without both kinds
}

// times are the service times of answers by what they were.
type times struct {
	phase string
	in    []bool // by phase of the manifest; nil for all
	all   rundir.Distribution
	cold  rundir.Distribution
	warm  rundir.Distribution
}

// Calibrate reads the rows of a run. It needs them: histograms do not tell cold
// from warm.
func Calibrate(dir string) (*Calibration, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	m := run.Manifest
	parts := []*times{{}}
	for _, name := range measuredNames(m) {
		t := &times{phase: name, in: make([]bool, len(m.Phases))}
		for i, p := range m.Phases {
			t.in[i] = p.Name == name
		}
		parts = append(parts, t)
	}
	notes, err := rundir.ReadSamples(dir, func(s *rundir.Sample) error {
		if int(s.Phase) >= len(m.Phases) {
			return rundir.Unreadable(fmt.Errorf("%s: request %d is of phase %d, the manifest has %d phases", filepath.Join(dir, rundir.SamplesFile), s.Index, s.Phase, len(m.Phases)))
		}
		if s.Outcome == rundir.OK {
			for _, t := range parts {
				t.add(s)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &Calibration{
		Run: run.Dir, Profile: m.Profile, Mode: m.Mode, Simulated: m.Producer == rundir.ProducerTwin,
		Warnings: append([]string{}, notes.Warnings(rundir.SamplesFile)...),
	}
	if lost := m.RowsLost + m.RowsSkipped; lost > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d requests have no row and are not in here", lost))
	}
	for _, t := range parts {
		c.Parts = append(c.Parts, t.part(m.ColdThresholdNS))
	}
	return c, nil
}

func (t *times) add(s *rundir.Sample) {
	if t.in != nil && !t.in[s.Phase] {
		return
	}
	service := s.Done - s.Sent
	t.all.Add(service)
	switch s.ColdTruth() {
	case rundir.MarkYes:
		t.cold.Add(service)
	case rundir.MarkNo:
		t.warm.Add(service)
	}
}

func (t *times) part(threshold int64) CalibrationPart {
	p := CalibrationPart{Phase: t.phase, OK: t.all.N, Cold: t.cold.N, Warm: t.warm.N, Split: cold.Find(barsOf(&t.all))}
	if at := p.Split.ThresholdNS; at != nil {
		p.Above = new(t.all.Above(*at))
	}
	if t.cold.N+t.warm.N == 0 {
		return p
	}
	coldBars, warmBars := barsOf(&t.cold), barsOf(&t.warm)
	if threshold > 0 {
		p.Current = new(cold.Judge(coldBars, warmBars, threshold))
	}
	if p.Split.ThresholdNS != nil {
		p.Proposed = new(cold.Judge(coldBars, warmBars, *p.Split.ThresholdNS))
	}
	if best, ok := cold.Best(coldBars, warmBars); ok {
		p.Best = &best
	}
	return p
}

// barsOf is a distribution as the split takes it.
func barsOf(d *rundir.Distribution) []cold.Bar {
	var bars []cold.Bar
	d.Bars(func(low, high int64, n uint64) { bars = append(bars, cold.Bar{Low: low, High: high, N: n}) })
	return bars
}
