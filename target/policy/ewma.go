package policy

import (
	"fmt"
	"math"
	"time"
)

var ewmaSpec = Spec{
	Name: "ewma",
	Help: "EWMA of the rate with a fixed CUSUM alarm for upward shifts",
	Cost: "O(1)",
	Params: []Param{
		{Name: "alpha", Help: "weight of the last window in the baseline", Default: 0.2, Min: 0.001, Max: 1},
		{Name: "k", Help: "CUSUM reference value, requests/s", Default: 5, Min: 0, Max: 1e9},
		{Name: "h", Help: "CUSUM decision interval, requests/s", Default: 8, Min: 0, Max: 1e9},
		{Name: "reset", Help: "1: an alarm restarts the sum; 0: the alarm lasts while the sum is above h", Default: 1, Min: 0, Max: 1, Whole: true},
		{Name: "headroom", Help: "share added to the rate before it is turned into workers", Default: 0, Min: 0, Max: 10},
	},
	build: func(p values, workers int) Policy {
		return &ewma{alpha: p["alpha"], k: p["k"], h: p["h"], reset: p["reset"] == 1, headroom: p["headroom"], initial: max(workers, 1)}
	},
}

// ewma sizes the pool for a smoothed rate and, on a CUSUM alarm (Page 1954,
// one-sided), for the last window instead. The baseline starts at 0: a node
// that has seen nothing expects nothing, and a first window of traffic counts
// as the shift that it is.
//
// Its floor is its target: workers the policy asks for are never reaped for
// idleness, else the scavenger and the policy would undo each other each second.
type ewma struct {
	alpha, k, h float64
	reset       bool
	headroom    float64
	initial     int

	baseline, sum float64
}

func (e *ewma) Initial() Decision { return Decision{Target: e.initial, Floor: e.initial} }

func (e *ewma) Decide(o Observation) Decision {
	x := o.Rate()
	// The chart looks at x against the baseline before x is part of it.
	e.sum = max(0, e.sum+x-e.baseline-e.k)
	e.baseline += e.alpha * (x - e.baseline)

	d := Decision{Rate: x, Baseline: e.baseline, Sum: e.sum}
	lambda := e.baseline
	if e.sum > e.h {
		d.Alarm = "fixed"
		lambda = x
		if e.reset {
			e.sum = 0
		}
	}
	d.Target = workersFor(lambda*(1+e.headroom), o.ServiceTime)
	d.Floor = d.Target
	return d
}

func (e *ewma) Describe(tick time.Duration) []string {
	facts := []string{
		fmt.Sprintf("N = ceil(lambda·T) + 1, lambda = EWMA (alpha %g) or the last window on an alarm", e.alpha),
		fmt.Sprintf("fixed CUSUM k = %g, h = %g requests/s", e.k, e.h),
	}
	arl := "in-control ARL0 (Siegmund, Poisson arrivals), ticks:"
	for _, rate := range []float64{30, 60, 100} {
		arl += fmt.Sprintf(" %.0f at %g/s", e.falseAlarmRun(rate, tick), rate)
	}
	return append(facts, arl)
}

// falseAlarmRun is the mean number of ticks between false alarms under Poisson
// arrivals of a constant rate. A window's rate has variance rate/tick, and the
// baseline it is compared with adds alpha/(2−alpha) of that.
func (e *ewma) falseAlarmRun(rate float64, tick time.Duration) float64 {
	sigma := math.Sqrt(rate / tick.Seconds() * (1 + e.alpha/(2-e.alpha)))
	return RunLength(0, e.k/sigma, e.h/sigma)
}
