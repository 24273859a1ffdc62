// Package arrival turns rate curves and inter-arrival laws into arrival
// instants. It is pure mathematics: no clock, no file, and every random number
// comes from the seed it is given.
//
// The phases of a schedule are joined into one cumulative rate
// Λ(t) = ∫₀ᵗ rate. A law yields gaps of unit mean; their running sum u₀ ≤ u₁ ≤ …
// is a point process of rate 1, and arrival k is at inf{t : Λ(t) > u_k}: time
// rescaling, over all phases as one process, so that a phase edge neither
// restarts nor truncates a gap.
//
// The rule at t = 0 and at edges follows from the strict inequality. The even
// law has u_k = k, so its first arrival is at the first instant with a positive
// rate (t = 0 unless the schedule begins in silence), an arrival that falls on
// an edge belongs to the next phase that has a rate, and phases whose integral
// is a whole number hold exactly that many arrivals. Random laws draw the gap
// before the first arrival too; their counts vary around the integral.
//
// Instants are the same on every machine: the arithmetic uses only operations
// that IEEE 754 rounds exactly (+ − × ÷ √), every product is converted to float64
// (the compiler may otherwise fuse it with a later sum, through assignments and
// inlined returns, on the processors that can), and the logarithm is our own,
// because the library's differs between architectures.
package arrival

import "time"

// An Arrival is one planned request.
type Arrival struct {
	Index uint64        // position in the schedule, from 0
	At    time.Duration // instant from the start of the schedule
	Phase int32         // index into Schedule.Phases
	// Function is an index into the schedule's functions; 0 where there is one.
	Function int32
}

// A Stream yields arrivals in order of time. It holds constant memory.
type Stream interface {
	Next() (Arrival, bool)
}

// A Phase is one stretch of a schedule, cycles flattened.
type Phase struct {
	Name    string
	Cycle   int           // from 1; 1 in a profile without cycles
	Kind    string        // constant | ramp | sine | steps | idle
	Measure string        // what the phase is there to measure: cold or empty
	Start   time.Duration // from the start of the schedule
	Length  time.Duration // > 0
	Curve   Curve
}

// A Curve is the rate over one phase and its integral.
type Curve interface {
	Rate(t time.Duration) float64        // requests/s at t from the phase's start
	Count(t time.Duration) float64       // expected arrivals in [0, t]
	Instant(count float64) time.Duration // first t at which Count exceeds count
}
