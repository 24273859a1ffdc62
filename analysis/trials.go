package analysis

import (
	"slices"

	"edgebench/analysis/stats"
)

// Trials sums up one number over the trials of an experiment. The trial is the
// unit: requests of one trial are not independent of each other.
type Trials struct {
	N      int      `json:"n"`
	Mean   float64  `json:"mean"`
	Median float64  `json:"median"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
	Low95  *float64 `json:"low95"` // Student-t interval of the mean, cut off at 0 where no value is below; null below two trials
	High95 *float64 `json:"high95"`
}

// OverTrials sums up values, one a trial, at least one.
func OverTrials(values []float64) Trials {
	t := Trials{
		N: len(values), Mean: stats.Mean(values), Median: stats.Median(values), Min: slices.Min(values), Max: slices.Max(values),
	}
	if i, ok := stats.Student(values, 0.95); ok {
		if t.Min >= 0 { // counts, shares, times, sizes: a mean below 0 is not among what could be
			i.Low = max(i.Low, 0)
		}
		t.Low95, t.High95 = &i.Low, &i.High
	}
	return t
}
