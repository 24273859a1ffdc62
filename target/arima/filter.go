package arima

import "math"

// A filter is a Kalman filter for one order with its working memory, so that the
// thousands of likelihoods of a fit allocate nothing. The state space is Harvey's
// (Forecasting, Structural Time Series Models and the Kalman Filter, 1989, 3.3):
// companion transition with AR in its first column, R = (1, MA...), Z = (1, 0, ...).
type filter struct {
	order Order
	m     int
	ar    []float64 // padded to m
	r     []float64 // (1, MA...) padded to m

	state    []float64
	cov, tmp []float64 // m × m, row major
	system   []float64 // Lyapunov equations, augmented
	unique   int       // m(m+1)/2 unknowns of the symmetric covariance

	sumSquares float64 // Σ v²/F with unit innovation variance
	sumLogF    float64 // Σ log F
}

func newFilter(o Order) (*filter, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	m := o.states()
	u := m * (m + 1) / 2
	return &filter{
		order: o, m: m, unique: u,
		ar: make([]float64, m), r: make([]float64, m),
		state: make([]float64, m),
		cov:   make([]float64, m*m), tmp: make([]float64, m*m),
		system: make([]float64, u*(u+1)),
	}, nil
}

// run filters w with unit innovation variance and leaves the sums and the state
// predicted for the instant after the last observation. It reports false when
// the stationary covariance does not exist.
func (f *filter) run(ar, ma, w []float64) bool {
	clear(f.ar)
	copy(f.ar, ar)
	clear(f.r)
	f.r[0] = 1
	copy(f.r[1:], ma)
	clear(f.state)
	if !f.stationary() {
		return false
	}
	f.sumSquares, f.sumLogF = 0, 0
	product := 1.0 // of variances, because a logarithm costs more than the rest of a step
	for _, y := range w {
		v, variance := y-f.state[0], f.cov[0]
		if !(variance > 0) {
			return false
		}
		f.sumSquares += v * v / variance
		if product *= variance; product > 1e100 || product < 1e-100 {
			f.sumLogF += math.Log(product)
			product = 1
		}
		f.observe(y, v, variance)
	}
	f.sumLogF += math.Log(product)
	return !math.IsNaN(f.sumSquares)
}

// observe conditions on an observation y and moves one step on. An observation
// without noise leaves nothing unknown of the first state: the conditioned
// covariance M = P − p pᵀ/F, p the first column, has a first row and column of
// zeros. So T M Tᵀ is M shifted by one, whatever the AR part, and T a has y
// itself in its first column's place.
func (f *filter) observe(y, v, variance float64) {
	m, p := f.m, f.cov
	for i := range m - 1 {
		gain := p[(i+1)*m] / variance
		f.state[i] = f.ar[i]*y + f.state[i+1] + gain*v
		for j := i; j < m-1; j++ {
			f.tmp[i*m+j] = p[(i+1)*m+j+1] - gain*p[(j+1)*m] + f.r[i]*f.r[j]
			f.tmp[j*m+i] = f.tmp[i*m+j]
		}
		f.tmp[i*m+m-1] = f.r[i] * f.r[m-1]
		f.tmp[(m-1)*m+i] = f.tmp[i*m+m-1]
	}
	f.state[m-1] = f.ar[m-1] * y
	f.tmp[m*m-1] = f.r[m-1] * f.r[m-1]
	f.cov, f.tmp = f.tmp, f.cov
}

// predict moves the state one step on without an observation: a = T a, T's rows
// an AR coefficient on the first state plus a shift.
func (f *filter) predict() {
	first := f.state[0]
	for i := range f.m {
		f.state[i] = f.ar[i] * first
		if i+1 < f.m {
			f.state[i] += f.state[i+1]
		}
	}
}

// stationary solves the discrete Lyapunov equation P = T P Tᵀ + R Rᵀ for the
// m(m+1)/2 distinct elements directly: doubling loses digits near the unit
// circle, where good fits of bursty series end.
func (f *filter) stationary() bool {
	m, u := f.m, f.unique
	width := u + 1
	clear(f.system)
	for i := range m {
		for j := i; j < m; j++ {
			row := f.system[f.slot(i, j)*width:][:width]
			row[f.slot(i, j)]++
			row[f.slot(0, 0)] -= f.ar[i] * f.ar[j]
			if i+1 < m {
				row[f.slot(i+1, 0)] -= f.ar[j]
			}
			if j+1 < m {
				row[f.slot(0, j+1)] -= f.ar[i]
			}
			if i+1 < m && j+1 < m {
				row[f.slot(i+1, j+1)]--
			}
			row[u] = f.r[i] * f.r[j]
		}
	}
	if !eliminate(f.system, u) {
		return false
	}
	for i := range m {
		for j := range m {
			f.cov[i*m+j] = f.system[f.slot(i, j)*width+u]
		}
	}
	return f.cov[0] > 0
}

// slot numbers the distinct elements of a symmetric matrix.
func (f *filter) slot(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return i*f.m - i*(i-1)/2 + j - i
}

// eliminate solves the n augmented equations in place by Gauss–Jordan with
// partial pivoting; the solution is left in the last column.
func eliminate(a []float64, n int) bool {
	width := n + 1
	for col := range n {
		pivot := col
		for row := col + 1; row < n; row++ {
			if math.Abs(a[row*width+col]) > math.Abs(a[pivot*width+col]) {
				pivot = row
			}
		}
		if math.Abs(a[pivot*width+col]) < 1e-14 {
			return false
		}
		p, q := a[pivot*width:][:width], a[col*width:][:width]
		for k := range width {
			p[k], q[k] = q[k], p[k]
		}
		for row := range n {
			factor := a[row*width+col] / q[col]
			if row == col || factor == 0 {
				continue
			}
			for k := col; k < width; k++ {
				a[row*width+k] -= factor * q[k]
			}
		}
	}
	for row := range n {
		a[row*width+n] /= a[row*width+row]
	}
	return true
}
