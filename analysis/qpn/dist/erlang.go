package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Erlang is the sum of k equal exponentials, less variable than one.
type Erlang struct {
	k     int
	stage float64 // mean of one stage
}

// NewErlang returns the Erlang law of a mean above 0 with k ≥ 1 stages.
func NewErlang(mean float64, k int) (Erlang, error) {
	if k < 1 || k > 10_000 {
		return Erlang{}, fmt.Errorf("erlang: k %d: outside 1..10000", k)
	}
	return Erlang{k, mean / float64(k)}, positive("erlang", "mean", mean)
}

// Sample draws a time.
func (e Erlang) Sample(r *rand.Rand) float64 {
	sum := 0.0
	for range e.k {
		sum += r.ExpFloat64()
	}
	return sum * e.stage
}

// Mean returns the mean.
func (e Erlang) Mean() float64 { return float64(e.k) * e.stage }

// SCV returns 1/k.
func (e Erlang) SCV() float64 { return 1 / float64(e.k) }

// Laplace returns E[exp(−s·T)].
func (e Erlang) Laplace(s float64) float64 { return math.Pow(1+s*e.stage, -float64(e.k)) }
