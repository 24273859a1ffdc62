package dist

import "math/rand/v2"

// Exponential is the memoryless law.
type Exponential struct{ mean float64 }

// NewExponential returns the exponential law of a mean above 0.
func NewExponential(mean float64) (Exponential, error) {
	return Exponential{mean}, positive("exponential", "mean", mean)
}

// Sample draws a time.
func (e Exponential) Sample(r *rand.Rand) float64 { return r.ExpFloat64() * e.mean }

// Mean returns the mean.
func (e Exponential) Mean() float64 { return e.mean }

// SCV returns 1.
func (e Exponential) SCV() float64 { return 1 }

// Laplace returns E[exp(−s·T)].
func (e Exponential) Laplace(s float64) float64 { return 1 / (1 + s*e.mean) }

// Phases returns the one phase there is.
func (e Exponential) Phases() (probs, rates []float64) { return []float64{1}, []float64{1 / e.mean} }
