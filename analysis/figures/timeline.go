package figures

import (
	"fmt"

	"edgebench/analysis/rundir"
)

// drawn bounds the stretches of a curve: more than a printed line resolves.
const drawn = 1000

// timeline shows the planned rate and what came of it, one panel a group: its
// first trial.
func timeline(runs []*Run) (*Picture, error) {
	var panels []*panel
	for _, r := range firsts(runs) {
		if len(r.seconds) == 0 {
			continue
		}
		p := newPanel(fmt.Sprintf("%s, %s: workload", r.Summary.Run.Profile, r.Label), "time (s)", "requests/s")
		r.shadeInto(p)
		at := make([]float64, len(r.seconds))
		ok, failed := make([]float64, len(at)), make([]float64, len(at))
		anyFailed := false
		for i, v := range r.seconds {
			at[i], ok[i], failed[i] = float64(v.Second), float64(v.OK), float64(v.Errors+v.Dropped)
			anyFailed = anyFailed || failed[i] > 0
		}
		curves := []curve{planned(r.Manifest.Phases).thin(drawn), curve{"ok", at, ok, true}.thin(drawn)}
		if anyFailed {
			curves = append(curves, curve{"errors and dropped", at, failed, true}.thin(drawn))
		}
		for i, c := range curves {
			if err := addCurve(p, i, c); err != nil {
				return nil, err
			}
		}
		p.Y.Min, p.X.Min = 0, 0
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no timeseries", ErrNoData)
	}
	return pictureOf(panels...), nil
}

// planned is the rate curve of the schedule.
func planned(phases []rundir.PhaseFact) curve {
	c := curve{label: "planned"}
	for _, p := range phases {
		from := float64(p.StartNS) / 1e9
		c.x = append(c.x, from, from+float64(p.LengthNS)/1e9)
		c.y = append(c.y, p.FromRPS, p.ToRPS)
	}
	return c
}

// shadeInto adds the measured phases to a panel, each name once in its legend.
func (r *Run) shadeInto(p *panel) {
	told := map[string]bool{}
	r.shade(func(s span, name string) {
		p.Add(s)
		if !told[name] {
			p.key(name+": cold starts counted", s)
			told[name] = true
		}
	})
}
