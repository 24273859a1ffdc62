package policy

import "math"

// RunLength is the average run length of a one-sided CUSUM by Siegmund (1985):
// the mean number of observations until an alarm when the mean is shifted by
// shift; k is the reference value and h the decision interval, all three in
// standard deviations of an observation.
func RunLength(shift, k, h float64) float64 {
	b := h + 1.166 // h with the mean overshoot of a Gaussian walk
	d := shift - k
	if math.Abs(d*b) < 1e-4 { // the limit, where the closed form cancels
		return b * b
	}
	return (math.Exp(-2*d*b) + 2*d*b - 1) / (2 * d * d)
}
