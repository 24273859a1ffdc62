package stats

import (
	"math"
	"slices"
)

// A Trend is whether values drift in the order they were taken.
type Trend struct {
	Test
	Slope float64 `json:"slope"` // a step; the median slope of all pairs (Theil 1950, Sen 1968)
}

// MinTrend is the least number of values whose every order could be called a
// trend at 5 %: with four the rarest order has p = 1/12.
const MinTrend = 5

// maxExactTrend is the number of values without ties up to which the orders are
// counted.
const maxExactTrend = 50

// MannKendall tests for a monotonic trend over the order of the values (Mann
// 1945, Kendall 1975). Statistic is S, the number of rising pairs less the
// falling ones. Exact without ties up to 50 values, else normal with the
// corrections for ties and continuity. False below MinTrend values.
func MannKendall(values []float64) (Trend, bool) {
	n := len(values)
	if n < MinTrend {
		return Trend{}, false
	}
	s := 0
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range values {
		for j := i + 1; j < n; j++ {
			s += int(dominance(values[i], values[j]))
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	t := Trend{Test: Test{Statistic: float64(s)}, Slope: Median(slopes)}
	r := rank(values)
	if len(r.ties) == 0 && n <= maxExactTrend {
		t.Exact = true
		// S = pairs − 2 · inversions, so inversions are as rare as S is far from 0.
		pairs := n * (n - 1) / 2
		counts := make([]float64, 2*pairs+1)
		for inversions, share := range inversionShares(n) {
			counts[2*inversions] = share
		}
		t.P = farShare(counts, pairs, pairs-s)
		return t, true
	}
	fn := float64(n)
	variance := fn * (fn - 1) * (2*fn + 5)
	for _, size := range r.ties {
		k := float64(size)
		variance -= k * (k - 1) * (2*k + 5)
	}
	// S moves in steps of 2, half of which is 1; normalTail takes half a step of 1.
	t.P = normalTail(math.Abs(float64(s))/2, variance/18/4)
	return t, true
}

// inversionShares is the share of the orders of n values by their number of
// inversions: inserting the k-th value adds 0 to k−1 of them.
func inversionShares(n int) []float64 {
	shares := []float64{1}
	for k := 2; k <= n; k++ {
		next := make([]float64, len(shares)+k-1)
		for inversions, share := range shares {
			for added := range k {
				next[inversions+added] += share / float64(k)
			}
		}
		shares = next
	}
	return shares
}
