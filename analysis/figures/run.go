package figures

import (
	"errors"
	"fmt"
	"io/fs"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// A Run is a run directory with all its series in memory.
type Run struct {
	*rundir.Run
	Summary *analysis.Summary
	Label   string // of its group

	style int // of its group

	seconds   []rundir.Interval
	monitor   []rundir.MonitorRow
	decisions []rundir.Event // decisions and alarms, in order
	response  rundir.Distribution
	lag       rundir.Distribution
}

// A Source is a run directory with its summary, nil where none was made yet.
type Source struct {
	Dir     string
	Summary *analysis.Summary
}

// Load reads a run directory. Files that are not there leave their series empty.
func Load(from Source) (*Run, error) {
	dir, summary := from.Dir, from.Summary
	run, err := rundir.Open(dir)
	if err == nil && summary == nil {
		summary, err = analysis.Summarize(dir)
	}
	if err != nil {
		return nil, err
	}
	r := &Run{Run: run, Summary: summary, Label: summary.Run.Mode}
	_, err = rundir.ReadTimeseries(dir, func(v rundir.Interval) error {
		r.seconds = append(r.seconds, v)
		return nil
	})
	faults := []error{unlessMissing(err)}
	_, err = rundir.ReadMonitor(dir, func(row *rundir.MonitorRow) error {
		r.monitor = append(r.monitor, *row)
		return nil
	})
	faults = append(faults, unlessMissing(err))
	_, err = rundir.ReadEvents(dir, func(e *rundir.Event) error {
		if e.Event == "decision" || e.Event == "alarm" {
			kept := *e
			kept.Raw = nil // the reader's memory
			r.decisions = append(r.decisions, kept)
		}
		return nil
	})
	faults = append(faults, unlessMissing(err), unlessMissing(r.loadDistributions()))
	return r, errors.Join(faults...)
}

func (r *Run) loadDistributions() error {
	accounts, err := rundir.ReadTotals(r.Dir, r.Manifest)
	if err == nil {
		err = rundir.ReadHistograms(r.Dir, r.Manifest, accounts)
	}
	if err != nil {
		return err
	}
	for i := range accounts.Phases {
		r.response.Merge(&accounts.Phases[i].Response)
		r.lag.Merge(&accounts.Phases[i].Lag)
	}
	return nil
}

// LoadAll reads runs. Runs of one profile and policy are trials of one group:
// they share style and label.
func LoadAll(from []Source) ([]*Run, error) {
	var (
		runs   []*Run
		faults []error
		names  = map[string]bool{}
	)
	for _, f := range from {
		r, err := Load(f)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		runs = append(runs, r)
		names[r.Summary.Run.Profile] = true
	}
	groups := map[string]int{}
	for _, r := range runs {
		r.Label = r.Summary.Run.Mode
		if r.Summary.Run.Producer == rundir.ProducerTwin {
			r.Label += " (twin)"
		}
		if len(names) > 1 {
			r.Label = r.Summary.Run.Profile + " " + r.Label
		}
		if _, ok := groups[r.Label]; !ok {
			groups[r.Label] = len(groups)
		}
		r.style = groups[r.Label]
	}
	return runs, errors.Join(faults...)
}

// firsts are the first run of each group, for figures of one trial.
func firsts(runs []*Run) []*Run {
	var out []*Run
	seen := map[string]bool{}
	for _, r := range runs {
		if !seen[r.Label] {
			seen[r.Label] = true
			out = append(out, r)
		}
	}
	return out
}

// A legend names each group once, with its number of trials.
type legend map[string]int

func legendOf(runs []*Run) legend {
	l := legend{}
	for _, r := range runs {
		l[r.Label]++
	}
	return l
}

// label is what a run's curve is called: empty for further trials of a group.
func (l legend) label(r *Run) string {
	n := l[r.Label]
	l[r.Label] = 0
	switch n {
	case 0:
		return ""
	case 1:
		return r.Label
	}
	return fmt.Sprintf("%s (%d trials)", r.Label, n)
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// seconds since the start of the schedule.
func (r *Run) at(e *rundir.Event) float64 {
	return float64(e.UnixNS-r.Manifest.StartedUnixNS) / 1e9
}

// mostShaded measured phases are marked: more are a wall behind the data.
const mostShaded = 200

// shade marks the measured phases behind the data.
func (r *Run) shade(add func(s span, name string)) {
	measured := 0
	for _, p := range r.Manifest.Phases {
		if p.Measure != "" {
			measured++
		}
	}
	if measured > mostShaded {
		return
	}
	for _, p := range r.Manifest.Phases {
		if p.Measure == "" {
			continue
		}
		from := float64(p.StartNS) / 1e9
		add(span{from, from + float64(p.LengthNS)/1e9, faint(colour(4))}, p.Name)
	}
}
