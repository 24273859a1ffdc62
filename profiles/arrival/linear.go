package arrival

import (
	"math"
	"time"
)

// Linear is a ramp from one rate to another over Length. Either end may be 0;
// both 0 is silence.
type Linear struct {
	From, To float64       // requests/s, finite and ≥ 0
	Length   time.Duration // > 0
}

// slope is the change of rate in requests/s².
func (l Linear) slope() float64 { return (l.To - l.From) / seconds(l.Length) }

// Rate implements Curve.
func (l Linear) Rate(t time.Duration) float64 {
	return l.From + float64(l.slope()*seconds(t))
}

// Count implements Curve: From·t + slope·t²/2, taken as the mean of the rates at
// both ends times t, which is exact at t = Length for whole rates.
func (l Linear) Count(t time.Duration) float64 {
	if t == l.Length {
		return float64((l.From + l.To) / 2 * seconds(t))
	}
	return float64((l.From + l.Rate(t)) / 2 * seconds(t))
}

// Instant implements Curve.
//
// With a = From, k = slope, n = count it solves k·t²/2 + a·t = n. The textbook
// root (−a + √(a² + 2kn))/k cancels for a flat ramp and divides 0 by 0 for a
// level one; its conjugate t = 2n/(a + √(a² + 2kn)) does neither. On a falling
// ramp the term under the root cancels near the end, so there it is written from
// the other end: a² + 2kn = b² − 2k·(N − n), with b = To and N the whole integral.
func (l Linear) Instant(count float64) time.Duration {
	total := l.Count(l.Length)
	switch {
	case total <= 0 || count >= total:
		return Never
	case count <= 0:
		return 0 // also with From = 0: the rate is positive right after
	}
	k := l.slope()
	var square float64
	if k >= 0 {
		square = float64(l.From*l.From) + float64(2*k*count)
	} else {
		square = float64(l.To*l.To) - float64(2*k*(total-count))
	}
	return nanoseconds(2 * count / (l.From + math.Sqrt(square)))
}

// Kind names the phase.
func (l Linear) Kind() string {
	if l.From == 0 && l.To == 0 {
		return "idle"
	}
	return "ramp"
}

// String writes both rates and the length.
func (l Linear) String() string {
	return rateText(l.From) + " to " + rateText(l.To) + " in " + l.Length.String()
}
