package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts the p values of a family of tests so that, whatever is true,
// the chance of one false alarm among those below a level is at most the level
// (Holm 1979). In the order given; NaN, for a test that was not made, stays.
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var made []int
	for i, v := range p {
		if v == v {
			made = append(made, i)
		}
	}
	slices.SortStableFunc(made, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	running := 0.0
	for rank, i := range made {
		running = max(running, min(p[i]*float64(len(made)-rank), 1))
		out[i] = running
	}
	return out
}
