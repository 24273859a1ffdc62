package arrival

import (
	"fmt"
	"math"
	"time"
)

// Sine swings around a mean: Mean + Amplitude·sin 2π(t + Offset)/Period.
type Sine struct {
	Mean      float64       // requests/s, > 0
	Amplitude float64       // requests/s, 0 … Mean
	Period    time.Duration // > 0
	Offset    time.Duration // how far into the period the phase begins, 0 … Period
}

// turns is the place of t in the period, in [0, 1): whole periods are taken off
// exactly, as integers.
func (s Sine) turns(t time.Duration) float64 {
	return float64((t%s.Period+s.Offset)%s.Period) / float64(s.Period)
}

// Rate implements Curve.
func (s Sine) Rate(t time.Duration) float64 {
	sine, _ := turn(s.turns(t))
	return max(0, s.Mean+float64(s.Amplitude*sine))
}

// Peak implements Peaker.
func (s Sine) Peak() float64 { return s.Mean + s.Amplitude }

// Count implements Curve.
func (s Sine) Count(t time.Duration) float64 {
	return s.within(seconds(t), float64(t%s.Period)/float64(s.Period))
}

// within is the integral over t seconds, of which turns are the part of a period
// that is not whole: Mean·t + Amplitude·P/2π · (cos x₀ − cos x₁), the difference
// written as 2 sin(x₀+x₁)/2 · sin(x₁−x₀)/2, which does not cancel for short times.
func (s Sine) within(t, turns float64) float64 {
	middle, _ := turn(s.turns(0) + float64(turns/2))
	half, _ := turn(turns / 2)
	swing := float64(s.Amplitude * seconds(s.Period) / math.Pi)
	return float64(s.Mean*t) + float64(swing*float64(middle*half))
}

// Instant implements Curve. Whole periods hold Mean·P arrivals each; within one,
// Newton's steps are kept inside a bracket that shrinks, so that the standstill at
// the trough of a full swing cannot throw them out.
func (s Sine) Instant(count float64) time.Duration {
	if count <= 0 {
		return 0
	}
	a := float64(s.Mean * seconds(s.Period))
	whole := math.Floor(count / a)
	if !(float64(whole*float64(s.Period)) < 1<<62) {
		return Never
	}
	base := time.Duration(whole) * s.Period
	left := count - float64(whole*a)
	period, begin := seconds(s.Period), s.turns(0)
	low, high, t := 0.0, period, left/s.Mean
	for range 80 {
		over := s.within(t, t/period) - left
		if over > 0 {
			high = t
		} else {
			low = t
		}
		sine, _ := turn(begin + t/period)
		next := t - over/(s.Mean+float64(s.Amplitude*sine))
		if !(next > low && next < high) {
			next = low + float64((high-low)/2)
		}
		done := math.Abs(next-t) < 1e-10
		if t = next; done {
			break
		}
	}
	return base + nanoseconds(t)
}

// Kind names the phase.
func (Sine) Kind() string { return "sine" }

// String writes the parameters.
func (s Sine) String() string {
	return fmt.Sprintf("sine %s ± %s every %v from %v", rateText(s.Mean), rateText(s.Amplitude), s.Period, s.Offset)
}
