package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Deterministic is a time that is always the same; its zero value is no time.
type Deterministic struct{ value float64 }

// NewDeterministic returns the law of a constant time ≥ 0.
func NewDeterministic(value float64) (Deterministic, error) {
	if !(value >= 0) || math.IsInf(value, 1) {
		return Deterministic{}, fmt.Errorf("deterministic: value %v: not a finite number ≥ 0", value)
	}
	return Deterministic{value}, nil
}

// Sample returns the value.
func (d Deterministic) Sample(*rand.Rand) float64 { return d.value }

// Mean returns the value.
func (d Deterministic) Mean() float64 { return d.value }

// SCV returns 0.
func (d Deterministic) SCV() float64 { return 0 }

// Laplace returns exp(−s·value).
func (d Deterministic) Laplace(s float64) float64 { return math.Exp(-s * d.value) }
