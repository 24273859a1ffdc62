package dist

import "math/rand/v2"

// Scaled is a law whose times are all longer by a factor; the way to change the
// rate of arrivals and keep their shape.
type Scaled struct {
	law    Law
	factor float64
}

// NewScaled returns law with its times multiplied by a factor above 0.
func NewScaled(law Law, factor float64) (Scaled, error) {
	return Scaled{law, factor}, positive("scaled", "factor", factor)
}

// Sample draws a time.
func (s Scaled) Sample(r *rand.Rand) float64 { return s.law.Sample(r) * s.factor }

// Mean returns the mean.
func (s Scaled) Mean() float64 { return s.law.Mean() * s.factor }

// SCV returns the squared coefficient of variation, which scaling keeps.
func (s Scaled) SCV() float64 { return s.law.SCV() }
