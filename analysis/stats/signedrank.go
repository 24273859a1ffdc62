package stats

import "math"

// SignedRank tests whether paired differences lie around 0 (Wilcoxon 1945).
// Differences of exactly 0 tell nothing and are left out. Statistic is the sum
// of the ranks of the positive ones. Exact, with ties, up to 50 differences.
// False when no difference is left.
func SignedRank(differences []float64) (Test, bool) {
	var sizes []float64
	var positive []bool
	for _, d := range differences {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
			positive = append(positive, d > 0)
		}
	}
	n := len(sizes)
	if n == 0 {
		return Test{}, false
	}
	r := rank(sizes)
	sum, total := 0, 0 // doubled
	for i, d := range r.doubled {
		total += d
		if positive[i] {
			sum += d
		}
	}
	t := Test{Statistic: float64(sum) / 2, Exact: n <= maxExact}
	if t.Exact {
		// Every sign is as likely: a subset of any size is positive. Doubled once
		// more, so that the mean is whole.
		counts := make([]float64, 2*total+1)
		counts[0] = 1
		reach := 0
		for _, d := range r.doubled {
			reach += 2 * d
			for s := reach; s >= 2*d; s-- {
				counts[s] += counts[s-2*d]
			}
		}
		t.P = farShare(counts, total, 2*sum)
		return t, true
	}
	fn := float64(n)
	variance := fn*(fn+1)*(2*fn+1)/24 - r.tieSum()/48
	t.P = normalTail(math.Abs(float64(2*sum-total))/4, variance)
	return t, true
}
