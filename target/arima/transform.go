package arima

import "math"

// constrain maps any real vector to the coefficients of a stationary
// autoregression: each element to a partial autocorrelation in (−1, 1), and
// those by Durbin–Levinson to coefficients (Monahan, Biometrika 71, 1984; Jones,
// Technometrics 22, 1980). With the sign changed it serves an invertible MA.
func constrain(free, coefficients []float64) {
	var previous [MaxTerms]float64
	for k := range free {
		r := free[k] / math.Sqrt(1+free[k]*free[k])
		copy(previous[:k], coefficients[:k])
		for j := range k {
			coefficients[j] = previous[j] - r*previous[k-1-j]
		}
		coefficients[k] = r
	}
}

// free is the inverse of constrain; coefficients outside the region are pulled
// just inside it, so that any start can be used.
func free(coefficients []float64) []float64 {
	a := append([]float64(nil), coefficients...)
	out := make([]float64, len(a))
	for k := len(a) - 1; k >= 0; k-- {
		const edge = 0.98
		r := max(-edge, min(edge, a[k]))
		out[k] = r / math.Sqrt(1-r*r)
		next := make([]float64, k)
		for j := range k {
			next[j] = (a[j] + r*a[k-1-j]) / (1 - r*r)
		}
		a = next
	}
	return out
}
