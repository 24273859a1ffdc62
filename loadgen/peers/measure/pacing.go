package measure

import (
	"math"
	"slices"
	"time"
)

// Steady is the arrivals of the last length before the final one: a
// generator's warm-up requests and its start do not count as its pace.
// Arrivals must be in order.
func Steady(arrivals []int64, length time.Duration) []int64 {
	if len(arrivals) == 0 {
		return nil
	}
	from := arrivals[len(arrivals)-1] - int64(length)
	i, _ := slices.BinarySearch(arrivals, from)
	return arrivals[i:]
}

// Gaps are the distances between neighbours, one fewer than arrivals.
func Gaps(arrivals []int64) []time.Duration {
	gaps := make([]time.Duration, 0, max(0, len(arrivals)-1))
	for i := 1; i < len(arrivals); i++ {
		gaps = append(gaps, time.Duration(arrivals[i]-arrivals[i-1]))
	}
	return gaps
}

// GapErrors are the distances of the gaps from an even one. A generator that
// sends pairs at every second instant has errors of a whole gap.
func GapErrors(arrivals []int64, gap time.Duration) []time.Duration {
	errors := Gaps(arrivals)
	for i, g := range errors {
		errors[i] = (g - gap).Abs()
	}
	return errors
}

// GridErrors are the distances of the arrivals from the nearest point of an
// even grid of the given gap, whose offset is fitted to them. They are at most
// half a gap: arrivals without any pace have the median gap/4.
//
// The offset is the median of the arrivals' phases about their circular mean,
// which needs no first guess and no unfolding.
func GridErrors(arrivals []int64, gap time.Duration) []time.Duration {
	if len(arrivals) == 0 {
		return nil
	}
	var sin, cos float64
	for _, a := range arrivals {
		s, c := math.Sincos(2 * math.Pi * float64(a%int64(gap)) / float64(gap))
		sin, cos = sin+s, cos+c
	}
	centre := int64(math.Atan2(sin, cos) / (2 * math.Pi) * float64(gap))
	residuals := make([]time.Duration, len(arrivals))
	for i, a := range arrivals {
		residuals[i] = fold(a-centre, gap)
	}
	offset := Quantile(residuals, 0.5)
	for i, r := range residuals {
		residuals[i] = fold(int64(r-offset), gap).Abs()
	}
	return residuals
}

// fold maps a distance to the one from the nearest multiple of gap, in
// (−gap/2, gap/2].
func fold(distance int64, gap time.Duration) time.Duration {
	d := time.Duration(distance) % gap
	switch {
	case d > gap/2:
		return d - gap
	case d <= -gap/2:
		return d + gap
	}
	return d
}

// Quantile by nearest rank, 0 of nothing.
func Quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
