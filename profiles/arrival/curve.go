package arrival

import (
	"math"
	"time"
)

// Never is the Instant of a count that a curve does not reach.
const Never = time.Duration(math.MaxInt64)

// kinder is implemented by curves that name their Phase.Kind.
type kinder interface{ Kind() string }

// kindOf names a curve for Phase.Kind; a curve that does not say is "curve".
func kindOf(c Curve) string {
	if k, ok := c.(kinder); ok {
		return k.Kind()
	}
	return "curve"
}

// Peaker is implemented by curves whose highest rate is neither at their start nor
// at their end.
type Peaker interface{ Peak() float64 }

// Peak is the highest rate of the phase, in requests/s.
func (p *Phase) Peak() float64 {
	if c, ok := p.Curve.(Peaker); ok {
		return c.Peak()
	}
	return max(p.Curve.Rate(0), p.Curve.Rate(p.Length))
}

// seconds is exact to one rounding.
func seconds(t time.Duration) float64 { return float64(t) / 1e9 }

// nanoseconds rounds s ≥ 0 to the nearest nanosecond; what does not fit is Never.
func nanoseconds(s float64) time.Duration {
	ns := float64(s * 1e9)
	if !(ns < 1<<62) {
		return Never
	}
	return time.Duration(ns + 0.5)
}
