// Package exact holds the queueing models that have a formula, or a Markov
// chain small enough to be solved to the last digit: one file a model. Its
// numbers are what the simulator is judged by.
//
// Rates are per unit of model time, times in that unit (seconds everywhere in
// this project). At or above capacity there is no steady state and every
// function returns an *Overload instead of a number.
package exact

import (
	"errors"
	"fmt"
	"math"
)

// A Result is the steady state of a model.
type Result struct {
	X     float64 // throughput
	R     float64 // mean response time
	N     float64 // mean population, N = X·R
	Power float64 // system power X/R
	Wait  float64 // mean time in the queue in front of the servers, within R

	// Tail is the law of Wait where it is known in closed form, else nil.
	Tail *Tail
}

// A Tail is a waiting time with P(wait > t) = P·exp(−Rate·t).
type Tail struct {
	P    float64 // probability to wait at all, 0..1
	Rate float64
}

// Quantile returns the time that a share q (0 ≤ q < 1) of the waits does not
// exceed.
func (t *Tail) Quantile(q float64) float64 {
	if 1-q >= t.P {
		return 0
	}
	return math.Log(t.P/(1-q)) / t.Rate
}

func result(lambda, response, wait float64) Result {
	return Result{X: lambda, R: response, N: lambda * response, Power: lambda / response, Wait: wait}
}

// An Overload says that arrivals reach or exceed what a model can serve.
type Overload struct {
	Lambda, Capacity float64
}

// critical is how near 1 a utilisation counts as 1: rates come from decimal
// text, and a rounding must not turn "critical" into "stable".
const critical = 1e-9

// Critical reports whether arrivals just equal capacity.
func (o *Overload) Critical() bool { return math.Abs(o.Lambda/o.Capacity-1) <= critical }

func (o *Overload) Error() string {
	word := "unstable"
	if o.Critical() {
		word = "critical"
	}
	return fmt.Sprintf("%s: arrivals %.6g, capacity %.6g: no steady state", word, o.Lambda, o.Capacity)
}

// Load returns an *Overload when lambda is not below capacity.
func Load(lambda, capacity float64) error {
	if lambda >= capacity*(1-critical) {
		return &Overload{Lambda: lambda, Capacity: capacity}
	}
	return nil
}

// check reports rates that are not finite and positive, and counts below 1.
func check(model string, named ...any) error {
	var faults []error
	for i := 0; i < len(named); i += 2 {
		switch v := named[i+1].(type) {
		case float64:
			if !(v > 0) || math.IsInf(v, 1) {
				faults = append(faults, fmt.Errorf("%s: %s %v: not a finite number above 0", model, named[i], v))
			}
		case int:
			if v < 1 {
				faults = append(faults, fmt.Errorf("%s: %s %d: below 1", model, named[i], v))
			}
		}
	}
	return errors.Join(faults...)
}
