package dist

import (
	"math"
	"math/rand/v2"
)

// Weibull is an exponential raised to a power: shape below 1 has a long tail,
// 1 is the exponential, above 1 is more regular.
type Weibull struct{ shape, scale float64 }

// NewWeibull returns the Weibull law of a mean and a shape, both above 0.
func NewWeibull(mean, shape float64) (Weibull, error) {
	return Weibull{shape, mean / math.Gamma(1+1/shape)}, positive("weibull", "mean", mean, "shape", shape)
}

// Sample draws a time.
func (w Weibull) Sample(r *rand.Rand) float64 {
	return w.scale * math.Pow(r.ExpFloat64(), 1/w.shape)
}

// Mean returns the mean.
func (w Weibull) Mean() float64 { return w.scale * math.Gamma(1+1/w.shape) }

// SCV returns the squared coefficient of variation.
func (w Weibull) SCV() float64 {
	g := math.Gamma(1 + 1/w.shape)
	return math.Gamma(1+2/w.shape)/(g*g) - 1
}
