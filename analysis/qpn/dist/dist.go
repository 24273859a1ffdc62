// Package dist holds the laws of the times in a queueing model: what a sampler
// needs to draw one and what a formula needs to know of it.
//
// Times are float64 in the model's own unit, seconds everywhere in this
// project: a model time is mathematics, not a measurement, and rounding an
// exponential to whole nanoseconds would bias exactly the short ones.
//
// The package refuses laws without a finite positive mean (a deterministic zero
// is the one exception) and keeps no random state: the stream is passed in.
package dist

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// A Law is the distribution of a time that is never negative.
type Law interface {
	Sample(r *rand.Rand) float64
	Mean() float64
	SCV() float64 // variance / mean²
}

// A Transformer knows its Laplace transform E[exp(−s·T)] for s ≥ 0, which is
// what the exact formulas of GI/M/c queues are made of.
type Transformer interface {
	Law
	Laplace(s float64) float64
}

// A PhaseMixture is a law that draws one of a few exponentials: phase i with
// probability Probs()[i], then an exponential time of rate Rates()[i]. A Markov
// chain can follow it exactly.
type PhaseMixture interface {
	Transformer
	Phases() (probs, rates []float64)
}

// positive reports every parameter that is not a finite number above 0.
func positive(law string, named ...any) error {
	var faults []error
	for i := 0; i < len(named); i += 2 {
		name, v := named[i].(string), named[i+1].(float64)
		if !(v > 0) || math.IsInf(v, 1) { // written so that NaN fails
			faults = append(faults, fmt.Errorf("%s: %s %v: not a finite number above 0", law, name, v))
		}
	}
	return errors.Join(faults...)
}
