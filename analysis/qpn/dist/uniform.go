package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Uniform is any time between two bounds, all equally likely.
type Uniform struct{ from, to float64 }

// NewUniform returns the uniform law on 0 ≤ from < to.
func NewUniform(from, to float64) (Uniform, error) {
	if !(from >= 0 && to > from) || math.IsInf(to, 1) {
		return Uniform{}, fmt.Errorf("uniform: from %v to %v: not 0 ≤ from < to", from, to)
	}
	return Uniform{from, to}, nil
}

// Sample draws a time.
func (u Uniform) Sample(r *rand.Rand) float64 { return u.from + r.Float64()*(u.to-u.from) }

// Mean returns the mean.
func (u Uniform) Mean() float64 { return (u.from + u.to) / 2 }

// SCV returns the squared coefficient of variation.
func (u Uniform) SCV() float64 {
	w, m := u.to-u.from, u.Mean()
	return w * w / 12 / (m * m)
}

// Laplace returns E[exp(−s·T)].
func (u Uniform) Laplace(s float64) float64 {
	x := s * (u.to - u.from)
	if x < 1e-9 { // (1−exp(−x))/x loses its digits near 0
		return math.Exp(-s * u.Mean())
	}
	return math.Exp(-s*u.from) * -math.Expm1(-x) / x
}
