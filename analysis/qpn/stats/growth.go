package stats

import "edgebench/analysis/stats"

// Growth judges from several runs whether a population grows without bound. It
// is given, for each run, the mean population early on (after a tenth of the
// time) and at its end. In steady state the two agree; a constant surplus makes
// the end 3.4 times the early part, a critical load (growth with √t) 1.9 times.
//
// It reports growth when the increase is beyond chance (99 % Student interval
// over the runs) and beyond a quarter of the early mean.
func Growth(early, late []float64) (grows bool, increase Interval) {
	rise := make([]float64, len(early))
	for i := range rise {
		rise[i] = late[i] - early[i]
	}
	increase = Student(rise, 0.99)
	return increase.Low() > 0 && increase.Mean > stats.Mean(early)/4, increase
}

// Parts of a run that Growth compares, as shares of its time.
const (
	EarlyFrom, EarlyTo = 0.1, 0.4
	LateFrom, LateTo   = 0.7, 1.0
)
