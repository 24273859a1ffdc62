// Package stats holds the statistics of trials: intervals, effects and tests
// over a few independent values each. It decides nothing about runs and knows
// none. A function refuses by its second result, or by NaN where it says so,
// what too few values cannot tell.
//
// Values are independent by assumption: give one value a trial, never the
// requests of one trial, which wait in the same queue.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is a confidence interval of an estimate.
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // confidence, 0..1
}

// Excludes reports whether v lies outside.
func (i Interval) Excludes(v float64) bool { return v < i.Low || v > i.High }

// Overlaps reports whether two intervals share a value.
func (i Interval) Overlaps(o Interval) bool { return i.Low <= o.High && o.Low <= i.High }

// Mean is the arithmetic mean, NaN of nothing.
func Mean(values []float64) float64 { return stat.Mean(values, nil) }

// Median is the middle value, or the mean of the two in the middle; NaN of nothing.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// StudentHalf is half the width of Student's t interval of a mean at a level
// between 0 and 1: t(n−1) · s/√n. NaN below two values.
func StudentHalf(values []float64, level float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return math.NaN()
	}
	return studentQuantile(level, n-1) * stat.StdDev(values, nil) / math.Sqrt(n)
}

// Student is the t interval of the mean of normal values; few trials of a
// skewed measure want Bootstrap beside it. False below two values.
func Student(values []float64, level float64) (Interval, bool) {
	if len(values) < 2 {
		return Interval{}, false
	}
	mean, half := Mean(values), StudentHalf(values, level)
	return Interval{mean - half, mean + half, level}, true
}

// Welch is the interval of the difference of two means, b − a, without the
// assumption of equal variances (Welch 1947, Satterthwaite's degrees of
// freedom). False below two values on a side.
func Welch(a, b []float64, level float64) (Interval, bool) {
	if len(a) < 2 || len(b) < 2 {
		return Interval{}, false
	}
	na, nb := float64(len(a)), float64(len(b))
	va, vb := stat.Variance(a, nil)/na, stat.Variance(b, nil)/nb
	difference := Mean(b) - Mean(a)
	if va+vb == 0 {
		return Interval{difference, difference, level}, true
	}
	df := (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	half := studentQuantile(level, df) * math.Sqrt(va+vb)
	return Interval{difference - half, difference + half, level}, true
}

// Differences are b − a, pair by pair; the slices have the same length.
func Differences(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = b[i] - a[i]
	}
	return out
}

// studentQuantile is the two-sided critical value of Student's t.
func studentQuantile(level, df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
}
