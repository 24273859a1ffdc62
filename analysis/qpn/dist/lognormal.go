package dist

import (
	"math"
	"math/rand/v2"
)

// Lognormal is exp of a normal: the usual shape of measured service times.
type Lognormal struct{ mu, sigma float64 }

// NewLognormal returns the lognormal law of a mean and a squared coefficient
// of variation, both above 0.
func NewLognormal(mean, scv float64) (Lognormal, error) {
	s2 := math.Log1p(scv)
	return Lognormal{math.Log(mean) - s2/2, math.Sqrt(s2)}, positive("lognormal", "mean", mean, "scv", scv)
}

// Sample draws a time.
func (l Lognormal) Sample(r *rand.Rand) float64 { return math.Exp(l.mu + l.sigma*r.NormFloat64()) }

// Mean returns the mean.
func (l Lognormal) Mean() float64 { return math.Exp(l.mu + l.sigma*l.sigma/2) }

// SCV returns the squared coefficient of variation.
func (l Lognormal) SCV() float64 { return math.Expm1(l.sigma * l.sigma) }
