package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Test is the outcome of a two-sided test. P is how often chance alone would
// give a difference at least as large.
type Test struct {
	Statistic float64 `json:"statistic"`
	P         float64 `json:"p"`
	Exact     bool    `json:"exact"` // every arrangement counted; else the normal approximation
}

// maxExact is the number of values up to which a rank test counts every
// arrangement: C(50, 25) is still a whole number of float64, and the count
// takes milliseconds.
const maxExact = 50

// MannWhitney tests whether values of a tend to be larger or smaller than
// those of b (Mann and Whitney 1947). Statistic is U of a: the number of pairs
// in which a is the larger, ties a half. Exact, with ties, up to 50 values in
// all: P is the share of all ways to deal the ranks whose sum lies at least as
// far from its mean. Above, normal with the correction for ties and for
// continuity. False without values on a side.
func MannWhitney(a, b []float64) (Test, bool) {
	na, nb := len(a), len(b)
	if na == 0 || nb == 0 {
		return Test{}, false
	}
	r := rank(append(append(make([]float64, 0, na+nb), a...), b...))
	sum := 0 // doubled
	for _, d := range r.doubled[:na] {
		sum += d
	}
	n := na + nb
	t := Test{Statistic: float64(sum)/2 - float64(na*(na+1))/2, Exact: n <= maxExact}
	mean := na * (n + 1) // of the doubled sum
	if t.Exact {
		t.P = farShare(subsetSums(r.doubled, na), mean, sum)
		return t, true
	}
	fa, fb, fn := float64(na), float64(nb), float64(n)
	variance := fa * fb / 12 * (fn + 1 - r.tieSum()/(fn*(fn-1)))
	t.P = normalTail(math.Abs(float64(sum-mean))/2, variance)
	return t, true
}

// subsetSums counts the subsets of size k of whole numbers by their sum.
func subsetSums(numbers []int, k int) []float64 {
	total := 0
	for _, v := range numbers {
		total += v
	}
	counts := make([][]float64, k+1) // by size, then by sum
	for i := range counts {
		counts[i] = make([]float64, total+1)
	}
	counts[0][0] = 1
	reach := 0
	for _, v := range numbers {
		reach += v
		for size := k; size >= 1; size-- {
			for s := reach; s >= v; s-- {
				counts[size][s] += counts[size-1][s-v]
			}
		}
	}
	return counts[k]
}

// farShare is the share of counts whose index is at least as far from mean as at.
func farShare(counts []float64, mean, at int) float64 {
	far, all := 0.0, 0.0
	distance := abs(at - mean)
	for s, n := range counts {
		all += n
		if abs(s-mean) >= distance {
			far += n
		}
	}
	return far / all
}

// normalTail is the two-sided tail beyond a distance from the mean, less half
// a step for continuity. Without variance nothing is surprising.
func normalTail(distance, variance float64) float64 {
	if variance <= 0 {
		return 1
	}
	return min(2*distuv.UnitNormal.Survival(max(distance-0.5, 0)/math.Sqrt(variance)), 1)
}

func abs(v int) int { return max(v, -v) }
