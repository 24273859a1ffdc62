package stats

import "edgebench/analysis/stats"

// MSER returns how many values at the start of a series are warm-up: those
// without which the rest has the least squared standard error, var/(n−d)
// (White 1997). Given means of 5 observations it is MSER-5. Only the first half
// is looked at; settled is false when the minimum lies at its end, which means
// that the series has not come to rest.
func MSER(series []float64) (warm int, settled bool) {
	n := len(series)
	if n < 4 {
		return 0, n > 0
	}
	// From the back, so that sums over every rest come in one pass. Deviations
	// are taken from the mean of the second half, to keep the digits of squares.
	centre := stats.Mean(series[n/2:])
	var sum, squares float64
	best := 0.0
	for d := n - 1; d >= 0; d-- {
		x := series[d] - centre
		sum += x
		squares += x * x
		if d > n/2 {
			continue
		}
		rest := float64(n - d)
		error2 := (squares - sum*sum/rest) / (rest * rest)
		if d == n/2 || error2 <= best {
			best, warm = error2, d
		}
	}
	return warm, warm < n/2
}

// Average returns the series whose values are the means over runs: what a
// warm-up has in common stays, noise goes. It is as long as the shortest.
func Average(runs [][]float64) []float64 {
	if len(runs) == 0 {
		return nil
	}
	n := len(runs[0])
	for _, r := range runs {
		n = min(n, len(r))
	}
	out := make([]float64, n)
	for _, r := range runs {
		for i := range out {
			out[i] += r[i] / float64(len(runs))
		}
	}
	return out
}
