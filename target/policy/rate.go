package policy

import (
	"math"
	"time"
)

// maxTarget bounds every target, so that an absurd rate cannot overflow an
// int; the node's own maximum of workers is far below it.
const maxTarget = 1 << 20

// Rate is the arrival rate of the window in requests/s, 0 for an empty window.
func (o Observation) Rate() float64 {
	if o.Window <= 0 {
		return 0
	}
	return float64(o.Arrivals) / o.Window.Seconds()
}

// workersFor is Little's law with one worker to spare: N = ceil(lambda·T) + 1.
// The product is lowered by a part in 1e9 before it is rounded up, so that
// 30/s × 500 ms means 15 workers and not 16 by the last bit of a float.
func workersFor(lambda float64, t time.Duration) int {
	busy := lambda * t.Seconds()
	if !(busy > 0) { // also NaN
		return 1
	}
	return bounded(math.Ceil(busy*(1-1e-9)) + 1)
}

func bounded(n float64) int {
	if !(n > 0) {
		return 0
	}
	return int(min(n, maxTarget))
}
