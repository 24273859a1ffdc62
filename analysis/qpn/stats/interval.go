// Package stats turns the output of simulation runs into numbers with honest
// intervals: Student intervals over independent replications or batch means,
// removal of the warm-up, detection of growth.
package stats

import (
	"fmt"
	"math"

	"edgebench/analysis/stats"
)

// An Interval is a mean with its confidence interval Mean ± Half.
type Interval struct {
	Mean  float64
	Half  float64 // NaN where fewer than two values were given
	Level float64 // confidence, 0..1
	N     int     // values
}

// Student returns the interval of the mean of independent values at a level
// between 0 and 1, by Student's t with n − 1 degrees of freedom.
func Student(values []float64, level float64) Interval {
	return Interval{Mean: stats.Mean(values), Half: stats.StudentHalf(values, level), Level: level, N: len(values)}
}

// Low returns the lower end.
func (i Interval) Low() float64 { return i.Mean - i.Half }

// High returns the upper end.
func (i Interval) High() float64 { return i.Mean + i.Half }

// Covers reports whether v lies in the interval. Where values hardly differ
// (an idle system: response time = service time) rounding is given its due.
func (i Interval) Covers(v float64) bool {
	return math.Abs(v-i.Mean) <= i.Half+1e-12*math.Abs(v)
}

// Relative returns Half as a share of the mean, +Inf around 0.
func (i Interval) Relative() float64 {
	if i.Mean == 0 {
		return math.Inf(1)
	}
	return i.Half / math.Abs(i.Mean)
}

func (i Interval) String() string { return fmt.Sprintf("%.5g ± %.2g", i.Mean, i.Half) }
