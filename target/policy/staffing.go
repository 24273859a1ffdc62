package policy

import (
	"fmt"
	"math"
	"time"
)

var staffingSpec = Spec{
	Name: "sqrt-staffing",
	Help: "square-root staffing: the smoothed load plus a margin that grows with its root",
	Cost: "O(1)",
	Params: []Param{
		{Name: "alpha", Help: "weight of the last window in the smoothed rate", Default: 0.2, Min: 0.001, Max: 1},
		{Name: "beta", Help: "standard deviations of the number of busy workers kept spare", Default: 1, Min: 0, Max: 10},
	},
	build: func(p values, workers int) Policy {
		return &staffing{alpha: p["alpha"], beta: p["beta"], initial: max(workers, 1)}
	},
}

// staffing is N = ceil(a + beta·√a), a = lambda·T: the number of busy servers of
// an unlimited system is Poisson with mean and variance a, so the same beta
// gives about the same probability of waiting at every scale (Halfin and Whitt
// 1981). Little's law plus one worker does not: at a = 15 it waits with
// probability 0.73.
type staffing struct {
	alpha, beta float64
	initial     int
	baseline    float64
}

func (s *staffing) Initial() Decision { return Decision{Target: s.initial, Floor: s.initial} }

func (s *staffing) Decide(o Observation) Decision {
	x := o.Rate()
	s.baseline += s.alpha * (x - s.baseline)
	load := s.baseline * o.ServiceTime.Seconds()
	n := max(1, bounded(math.Ceil((load+s.beta*math.Sqrt(load))*(1-1e-9))))
	return Decision{Target: n, Floor: n, Rate: x, Baseline: s.baseline}
}

func (s *staffing) Describe(time.Duration) []string {
	return []string{fmt.Sprintf("N = ceil(a + %g·√a), a = lambda·T, lambda = EWMA (alpha %g)", s.beta, s.alpha)}
}
