package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinSamples is the number of independent samples below which no sample bounds
// the q quantile from above with confidence level: the largest of n exceeds it
// with probability 1 − qⁿ, so n ≥ ln(1 − level)/ln(q) (Wilks 1941). 299 for
// p99 at 95 %, 59 for p95, 2995 for p99.9.
func MinSamples(q, level float64) int { return int(math.Ceil(math.Log(1-level) / math.Log(q))) }

// QuantileRanks are the order statistics (1..n) that hold the q quantile of the
// law between them with probability of at least level, whatever the law (David
// and Nagaraja, Order Statistics, 2003, ch. 7.1): with equal tails where that
// is possible, else from the maximum down. False below MinSamples of q and of
// 1 − q.
func QuantileRanks(n int, q, level float64) (low, high int, ok bool) {
	if n < MinSamples(max(q, 1-q), level) {
		return 0, 0, false
	}
	law := distuv.Binomial{N: float64(n), P: q}
	// P(X₍low₎ ≤ ξ < X₍high₎) = F(high − 1) − F(low − 1).
	below := func(rank int) float64 {
		if rank <= 0 {
			return 0
		}
		return law.CDF(float64(rank - 1))
	}
	tail := (1 - level) / 2
	high = search(n, func(rank int) bool { return below(rank) >= 1-tail })
	if high > n {
		high = n
	}
	// The largest low that still leaves enough; equal tails unless high took more.
	low = search(n, func(rank int) bool { return below(high)-below(rank) < level || below(rank) > tail }) - 1
	if low < 1 { // a quantile near 0: the mirror image
		low = 1
		high = search(n, func(rank int) bool { return below(rank)-below(low) >= level })
	}
	if high > n || below(high)-below(low) < level {
		return 0, 0, false
	}
	return low, high, true
}

// search is the smallest rank in 1..n for which is holds, n + 1 for none; is
// turns true once.
func search(n int, is func(int) bool) int {
	low, high := 1, n+1
	for low < high {
		if middle := (low + high) / 2; is(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
