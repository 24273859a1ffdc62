package figures

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/target/policy"
)

// policyTrace shows what a policy saw and decided: its rate and baseline, its
// CUSUM with the threshold, its target; alarms are vertical lines. It is of one
// trial: the first run of a policy that has a CUSUM, else the first with decisions.
func policyTrace(runs []*Run) (*Picture, error) {
	var decided *Run
	for _, r := range runs {
		if len(r.decisions) == 0 {
			continue
		}
		if len(r.limits()) > 0 {
			decided = r
			break
		}
		decided = cmp.Or(decided, r)
	}
	if decided == nil {
		return nil, fmt.Errorf("%w: no decisions", ErrNoData)
	}
	return decided.trace()
}

// A limit is what a policy's CUSUM alarms above, in the unit of both.
type limit struct {
	at   float64
	unit string
}

// limits of the run's policy as it was configured; none where it has no CUSUM,
// or where the profile cannot be read.
func (r *Run) limits() (out []limit) {
	p, err := profiles.Load(filepath.Join(r.Dir, rundir.ProfileFile))
	if err != nil || p.Target.Bundled == nil {
		return nil
	}
	configured := p.Target.Bundled.Policy
	for _, param := range policy.Lookup(configured.Name).Params {
		if param.SumUnit != "" {
			out = append(out, limit{param.Of(configured.Params), param.SumUnit})
		}
	}
	return out
}

// A trace is what the decisions of a run hold, column by column.
type trace struct{ at, rate, baseline, cusum, target, alarms []float64 }

func (r *Run) decided() (t trace) {
	for i := range r.decisions {
		e := &r.decisions[i]
		t.at = append(t.at, r.at(e))
		t.rate, t.baseline, t.cusum = append(t.rate, orGap(e.RateRPS)), append(t.baseline, orGap(e.BaselineRPS)), append(t.cusum, orGap(e.CUSUM))
		goal := math.NaN()
		if e.Target != nil {
			goal = float64(*e.Target)
		}
		t.target = append(t.target, goal)
		if e.Event == "alarm" {
			t.alarms = append(t.alarms, r.at(e))
		}
	}
	return t
}

func (r *Run) trace() (*Picture, error) {
	t, limits := r.decided(), r.limits()
	baseline := "its baseline"
	if len(limits) > 0 {
		baseline = "its baseline (EWMA)"
	}
	rates := newPanel(fmt.Sprintf("%s, %s: what the policy saw", r.Summary.Run.Profile, r.Label), "", "requests/s")
	r.shadeInto(rates)
	err := addCurve(rates, 0, curve{"rate of the last window", t.at, t.rate, true}.thin(drawn))
	if err == nil {
		err = addCurve(rates, 2, curve{baseline, t.at, t.baseline, true}.thin(drawn))
	}
	panels := []*panel{rates}
	if len(limits) > 0 && err == nil {
		chart := newPanel("CUSUM", "", unitsOf(limits))
		err = addCurve(chart, 0, curve{"", t.at, t.cusum, true}.thin(drawn))
		for _, l := range limits {
			mark := rule{at: l.at, horizontal: true, style: draw.LineStyle{Color: palette[6], Width: vg.Points(0.9), Dashes: dashes[1]}}
			chart.Add(mark)
			chart.key(fmt.Sprintf("alarm above %g %s", l.at, l.unit), mark)
			chart.Y.Max = max(chart.Y.Max, l.at) // a rule widens no axis
		}
		panels = append(panels, chart)
	}
	goals := newPanel("workers it asked for", "time (s)", "workers")
	if err == nil {
		err = addCurve(goals, 0, curve{"", t.at, t.target, true}.thin(drawn))
	}
	panels = append(panels, goals)
	alarm := draw.LineStyle{Color: palette[1], Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(1.5), vg.Points(1.5)}}
	for k, p := range panels {
		for i, a := range t.alarms {
			mark := rule{at: a, style: alarm}
			p.Add(mark)
			if i == 0 && k == 0 {
				p.key(fmt.Sprintf("alarm (%d)", len(t.alarms)), mark)
			}
		}
		p.Y.Min, p.X.Min = 0, 0
	}
	return pictureOf(panels...), err
}

// unitsOf names the units of limits, each once.
func unitsOf(limits []limit) string {
	var units []string
	for _, l := range limits {
		if !slices.Contains(units, l.unit) {
			units = append(units, l.unit)
		}
	}
	return strings.Join(units, " or ")
}

func orGap(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
