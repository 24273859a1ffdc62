package stats

import (
	"cmp"
	"slices"
)

// A ranking holds the ranks of some values. Ties share the mean of their ranks,
// so ranks are kept doubled: whole numbers, exact in sums.
type ranking struct {
	doubled []int // 2 × rank, by position of the value
	ties    []int // sizes of the groups of equal values, larger than 1
}

func rank(values []float64) ranking {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	r := ranking{doubled: make([]int, len(values))}
	for first := 0; first < len(order); {
		last := first
		for last+1 < len(order) && values[order[last+1]] == values[order[first]] {
			last++
		}
		for _, i := range order[first : last+1] {
			r.doubled[i] = first + last + 2
		}
		if size := last - first + 1; size > 1 {
			r.ties = append(r.ties, size)
		}
		first = last + 1
	}
	return r
}

// tieSum is Σ t³ − t over the groups of ties, the correction of rank variances.
func (r ranking) tieSum() float64 {
	sum := 0.0
	for _, t := range r.ties {
		t := float64(t)
		sum += t*t*t - t
	}
	return sum
}
