package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// policyTrace shows what a policy saw and decided: its rate and baseline, its
// CUSUM, its target; alarms are vertical lines. The first run with decisions.
func policyTrace(runs []*Run) (*Picture, error) {
	for _, r := range runs {
		if len(r.decisions) > 0 {
			return r.trace()
		}
	}
	return nil, fmt.Errorf("%w: no decisions", ErrNoData)
}

func (r *Run) trace() (*Picture, error) {
	var at, rate, baseline, cusum, target, alarms []float64
	charted := false
	for i := range r.decisions {
		e := &r.decisions[i]
		at = append(at, r.at(e))
		rate, baseline = append(rate, orGap(e.RateRPS)), append(baseline, orGap(e.BaselineRPS))
		cusum = append(cusum, orGap(e.CUSUM))
		charted = charted || e.CUSUM != nil && *e.CUSUM != 0
		goal := math.NaN()
		if e.Target != nil {
			goal = float64(*e.Target)
		}
		target = append(target, goal)
		if e.Event == "alarm" {
			alarms = append(alarms, r.at(e))
		}
	}
	rates := panel(fmt.Sprintf("%s, %s: what the policy saw", r.Summary.Run.Profile, r.Label), "", "requests/s")
	chart := panel("CUSUM", "", "requests/s")
	goals := panel("workers the policy asked for", "time (s)", "workers")
	panels := pictureOf(rates, goals)
	if charted {
		panels = pictureOf(rates, chart, goals)
	}
	alarm := draw.LineStyle{Color: palette[1], Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(1.5), vg.Points(1.5)}}
	for k, p := range panels.panels {
		if k == 0 {
			r.shadeInto(p)
		}
		for i, a := range alarms {
			mark := rule{at: a, style: alarm}
			p.Add(mark)
			if i == 0 && k == 0 {
				p.Legend.Add(fmt.Sprintf("alarm (%d)", len(alarms)), mark)
			}
		}
	}
	err := addCurve(rates, 0, curve{"rate of the last window", at, rate, true}.thin(drawn))
	if err == nil {
		err = addCurve(rates, 2, curve{"baseline (EWMA)", at, baseline, true}.thin(drawn))
	}
	if err == nil {
		err = addCurve(chart, 0, curve{"", at, cusum, true}.thin(drawn))
	}
	if err == nil {
		err = addCurve(goals, 0, curve{"", at, target, true}.thin(drawn))
	}
	rates.Y.Min, goals.Y.Min = 0, 0
	headroom(rates, 4)
	headroom(goals, 1)
	return panels, err
}

func orGap(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
