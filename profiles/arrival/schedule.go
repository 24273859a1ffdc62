// Package arrival turns rate curves and inter-arrival laws into arrival
// instants. It is pure mathematics: no clock, no file, and every random number
// comes from the seed it is given.
package arrival

import "time"

// An Arrival is one planned request.
type Arrival struct {
	Index uint64        // position in the schedule, from 0
	At    time.Duration // instant from the start of the schedule
	Phase int32         // index into Schedule.Phases
}

// A Stream yields arrivals in order of time. It holds constant memory.
type Stream interface {
	Next() (Arrival, bool)
}

// A Phase is one stretch of a schedule, cycles flattened.
type Phase struct {
	Name    string
	Cycle   int           // from 1; 1 in a profile without cycles
	Kind    string        // constant | ramp | idle
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
