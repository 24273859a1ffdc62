package measure

import (
	"math"
	"slices"
	"time"

	"edgebench/profiles/arrival"
)

// A CDF is a distribution function of gaps of unit mean.
type CDF func(x float64) float64

// Exponential is the law of the gaps of Poisson arrivals.
func Exponential(x float64) float64 { return -math.Expm1(-x) }

// Hyperexponential is the law of the gaps of H2 arrivals.
func Hyperexponential(h arrival.H2) CDF {
	p, rate := h.Probabilities(), h.Rates()
	return func(x float64) float64 {
		return -p[0]*math.Expm1(-rate[0]*x) - p[1]*math.Expm1(-rate[1]*x)
	}
}

// KS is the Kolmogorov–Smirnov distance of gaps from a law with the given mean:
// the largest difference of the two distribution functions.
func KS(gaps []time.Duration, mean time.Duration, law CDF) float64 {
	sorted := slices.Sorted(slices.Values(gaps))
	n, distance := float64(len(sorted)), 0.0
	for i, g := range sorted {
		f := law(float64(g) / float64(mean))
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	return distance
}

// SCV is the squared coefficient of variation, variance/mean²; NaN for fewer
// than two gaps.
func SCV(gaps []time.Duration) float64 {
	n := float64(len(gaps))
	var sum, squares float64
	for _, g := range gaps {
		sum += float64(g)
	}
	mean := sum / n
	for _, g := range gaps {
		d := float64(g) - mean
		squares += d * d
	}
	return squares / (n - 1) / (mean * mean)
}
