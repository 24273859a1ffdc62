package policy

import (
	"fmt"
	"time"
)

var ewmaSpec = Spec{
	Name:   "ewma",
	Help:   "EWMA of the rate with a fixed CUSUM alarm for upward shifts",
	Cost:   "O(1)",
	Params: append(fixedParams("k", "h"), smoothingParams...),
	build: func(p values, workers int) Policy {
		return newEWMA(p, workers, p.fixedChart("k", "h"))
	},
}

var smoothingParams = []Param{
	{Name: "alpha", Help: "weight of the last window in the baseline", Default: 0.2, Min: 0.001, Max: 1},
	{Name: "reset", Help: "1: an alarm restarts the sum; 0: the alarm lasts while the sum is above h", Default: 1, Min: 0, Max: 1, Whole: true},
	{Name: "headroom", Help: "share added to the rate before it is turned into workers", Default: 0, Min: 0, Max: 10},
}

func fixedParams(k, h string) []Param {
	return []Param{
		{Name: k, Help: "fixed CUSUM: reference value, requests/s", Default: 5, Min: 0, Max: 1e9},
		{Name: h, Help: "fixed CUSUM: decision interval, requests/s", Default: 8, Min: 0, Max: 1e9, SumUnit: "requests/s"},
	}
}

func (p values) fixedChart(k, h string) *fixedChart {
	return &fixedChart{cusum{k: p[k], h: p[h], reset: p["reset"] == 1}}
}

// ewma sizes the pool for a smoothed rate and, on the alarm of any of its
// charts, for the last window instead. The baseline starts at 0: a node that
// has seen nothing expects nothing, and a first window of traffic counts as the
// shift that it is.
//
// Its floor is its target: workers the policy asks for are never reaped for
// idleness, else the scavenger and the policy would undo each other each second.
type ewma struct {
	alpha, headroom float64
	initial         int
	charts          []chart

	baseline float64
}

func newEWMA(p values, workers int, charts ...chart) *ewma {
	return &ewma{alpha: p["alpha"], headroom: p["headroom"], initial: max(workers, 1), charts: charts}
}

func (e *ewma) Initial() Decision { return Decision{Target: e.initial, Floor: e.initial} }

func (e *ewma) Decide(o Observation) Decision {
	x := o.Rate()
	d := Decision{Rate: x}
	lambda := 0.0
	for i, c := range e.charts {
		// A chart looks at x against the baseline before x is part of it.
		sum, fired := c.observe(x, e.baseline)
		if i == 0 || fired && d.Alarm == "" {
			d.Sum = sum // of the first chart, unless another one fired
		}
		if fired {
			d.Alarm = both(d.Alarm, c.name())
		}
	}
	e.baseline += e.alpha * (x - e.baseline)
	d.Baseline, lambda = e.baseline, e.baseline
	if d.Alarm != "" {
		lambda = x
	}
	d.Target = workersFor(lambda*(1+e.headroom), o.ServiceTime)
	d.Floor = d.Target
	return d
}

// both joins the names of charts that fired in one window, without allocating
// for the pair there is.
func both(a, b string) string {
	if a == "" {
		return b
	}
	if a == "fixed" && b == "standardised" {
		return "fixed+standardised"
	}
	return a + "+" + b
}

func (e *ewma) Describe(tick time.Duration) []string {
	facts := []string{fmt.Sprintf("N = ceil(lambda·T) + 1, lambda = EWMA (alpha %g) or the last window on an alarm", e.alpha)}
	for _, c := range e.charts {
		facts = append(facts, c.describe(e.alpha, tick)...)
	}
	return facts
}
