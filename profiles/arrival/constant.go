package arrival

import (
	"strconv"
	"time"
)

// Constant is a rate that does not change, in requests/s, finite and ≥ 0.
type Constant float64

// Idle is a phase of silence.
const Idle = Constant(0)

// Rate implements Curve.
func (c Constant) Rate(time.Duration) float64 { return float64(c) }

// Count implements Curve.
func (c Constant) Count(t time.Duration) float64 { return float64(float64(c) * seconds(t)) }

// Instant implements Curve.
func (c Constant) Instant(count float64) time.Duration {
	if c <= 0 {
		return Never
	}
	return nanoseconds(max(count, 0) / float64(c))
}

// Kind names the phase: idle without a rate, else constant.
func (c Constant) Kind() string {
	if c == 0 {
		return "idle"
	}
	return "constant"
}

// String writes the rate as a profile does.
func (c Constant) String() string { return rateText(float64(c)) }

func rateText(r float64) string { return strconv.FormatFloat(r, 'f', -1, 64) + "/s" }
