package stats

import (
	"math"

	"edgebench/analysis/stats"
)

// BatchMeans returns the interval of the mean of one long stationary series from
// the means of k equal batches (k ≥ 2, 20 is usual), and the lag-1 correlation
// of those means. Independent means have a correlation within about 2/√k of 0;
// above that the batches are too short and the interval is too narrow.
func BatchMeans(series []float64, k int, level float64) (i Interval, correlation float64) {
	per := len(series) / k
	if per == 0 {
		return Student(series, level), math.NaN()
	}
	means := make([]float64, k)
	// What does not fill a batch is left out at the start, nearest the warm-up.
	rest := series[len(series)-per*k:]
	for b := range means {
		means[b] = stats.Mean(rest[b*per : (b+1)*per])
	}
	return Student(means, level), lag1(means)
}

func lag1(values []float64) float64 {
	m := stats.Mean(values)
	var product, squares float64
	for i, v := range values {
		squares += (v - m) * (v - m)
		if i > 0 {
			product += (v - m) * (values[i-1] - m)
		}
	}
	if squares == 0 {
		return 0
	}
	return product / squares
}
