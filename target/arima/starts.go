package arima

import "gonum.org/v1/gonum/mat"

// starts lists where the search climbs from: white noise, the Hannan–Rissanen
// estimate, and a few spread over the region (persistent, oscillating, cyclic).
func (s *search) starts() [][]float64 {
	p, n := s.filter.order.P, s.filter.order.terms()
	starts := [][]float64{make([]float64, n)}
	if hr := hannanRissanen(s.w, s.filter.order); hr != nil {
		starts = append(starts, hr)
	}
	for _, corner := range [][2]float64{{0.8, -0.8}, {0.8, 0.4}, {-0.5, 0.5}} {
		x := make([]float64, n)
		if p > 0 {
			x[0] = corner[0]
		}
		if n > p {
			x[p] = -corner[1]
		}
		starts = append(starts, x)
	}
	if p >= 2 {
		x := make([]float64, n) // a damped cycle: large first, negative second partial autocorrelation
		x[0], x[1] = 2, -1.5
		starts = append(starts, x)
		if n >= p+2 {
			y := append([]float64(nil), x...) // the same with an MA part near it
			y[p], y[p+1] = 1.8, -1.3
			starts = append(starts, y)
		}
	}
	return starts
}

// hannanRissanen is the two-step regression of Hannan and Rissanen (Biometrika
// 69, 1982): residuals of a long autoregression stand in for the innovations. It
// returns nil where the series is too short or the regression is singular.
func hannanRissanen(w []float64, o Order) []float64 {
	long := min(max(2*o.terms(), 6), len(w)/4)
	if long < 1 || o.terms() == 0 {
		return nil
	}
	phi := regress(w, nil, long, 0, long)
	if phi == nil {
		return nil
	}
	e := make([]float64, len(w))
	for t := long; t < len(w); t++ {
		e[t] = w[t]
		for i := range long {
			e[t] -= phi[i] * w[t-1-i]
		}
	}
	beta := regress(w, e, o.P, o.Q, long+max(o.P, o.Q))
	if beta == nil {
		return nil
	}
	ma := append([]float64(nil), beta[o.P:]...)
	for i := range ma {
		ma[i] = -ma[i]
	}
	return append(free(beta[:o.P]), free(ma)...)
}

// regress fits w_t on p lags of w and q lags of e by least squares, from t = first.
func regress(w, e []float64, p, q, first int) []float64 {
	rows, cols := len(w)-first, p+q
	if rows <= cols {
		return nil
	}
	a, b := mat.NewDense(rows, cols, nil), mat.NewVecDense(rows, nil)
	for t := first; t < len(w); t++ {
		b.SetVec(t-first, w[t])
		for i := range p {
			a.Set(t-first, i, w[t-1-i])
		}
		for j := range q {
			a.Set(t-first, p+j, e[t-1-j])
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return nil
	}
	return x.RawVector().Data
}
