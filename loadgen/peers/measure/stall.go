package measure

import "time"

// StalledQuantile is the quantile q of response times of an even load against a
// server that answers at once but for a number of stalls.
//
// Of the requests planned during a stall of length d, the one planned at x waits
// d − x: those waits are uniform in (0, d), and all other requests wait for
// nothing. With f the share of requests planned during stalls, P(wait > w) =
// f·(1 − w/d), which is 1 − q at w = d·(1 − (1 − q)/f).
func StalledQuantile(q float64, length, stall time.Duration, stalls int) time.Duration {
	f := float64(stalls) * stall.Seconds() / length.Seconds()
	return max(0, time.Duration(float64(stall)*(1-(1-q)/f)))
}
