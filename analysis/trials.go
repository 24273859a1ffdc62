package analysis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Trials sums up one number over the trials of an experiment. The trial is the
// unit: requests of one trial are not independent of each other.
type Trials struct {
	N      int      `json:"n"`
	Mean   float64  `json:"mean"`
	Median float64  `json:"median"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
	Low95  *float64 `json:"low95"` // Student-t interval of the mean; null below two trials
	High95 *float64 `json:"high95"`
}

// OverTrials sums up values, one a trial, at least one.
func OverTrials(values []float64) Trials {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	t := Trials{
		N: n, Mean: stat.Mean(sorted, nil), Min: sorted[0], Max: sorted[n-1],
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
	}
	if n >= 2 {
		half := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975) * stat.StdDev(sorted, nil) / math.Sqrt(float64(n))
		low, high := t.Mean-half, t.Mean+half
		t.Low95, t.High95 = &low, &high
	}
	return t
}
