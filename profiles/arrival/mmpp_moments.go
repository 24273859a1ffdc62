package arrival

import "math"

// SCV implements Law: of a gap at a constant rate of 1/s.
func (m MMPP) SCV() float64 { return m.SCVAt(1) }

// SCVAt is the squared coefficient of variation of a gap at a constant rate in
// requests/s: at high rates many gaps fall into one state, and it grows.
//
// With D₀ = Q − Λ (no arrival), λ̄ the mean rate and φ = θΛ/λ̄ the state an arrival
// finds, E[X²] = 2 φ D₀⁻² 1 (M. F. Neuts 1979), and the mean is 1/λ̄.
func (m MMPP) SCVAt(rate float64) float64 {
	n := len(m.level)
	share, leave := m.stationary()
	solve := func(b []float64) []float64 { // (Λ − Q) x = b
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			a[i][i] = float64(rate*m.level[i]) + leave[i]
			a[i][(i+1)%n] -= leave[i]
		}
		return gauss(a, b)
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	x := solve(solve(ones))
	var second float64
	for i := range x {
		second += float64(2 * share[i] * m.level[i] * x[i])
	}
	return float64(second*float64(rate*rate)) - 1
}

// Dispersion is the limit of variance over mean of the number of arrivals at a
// constant rate: 1 + 2 Σ θᵢ(λᵢ−λ̄)hᵢ/λ̄ with Qh = −(λ − λ̄), Σθᵢhᵢ = 0.
func (m MMPP) Dispersion(rate float64) float64 {
	n := len(m.level)
	share, leave := m.stationary()
	a, b := make([][]float64, n), make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		if i == n-1 { // the equations of Q are dependent: the last makes way for Σθh = 0
			copy(a[i], share)
			continue
		}
		a[i][i] = leave[i]
		a[i][i+1] -= leave[i]
		b[i] = float64(rate * (m.level[i] - 1))
	}
	h := gauss(a, b)
	var sum float64
	for i := range h {
		sum += float64(2 * share[i] * (m.level[i] - 1) * h[i])
	}
	return 1 + sum
}

// stationary is the share of time in each state, and the rate of leaving it.
func (m MMPP) stationary() (share, leave []float64) {
	var cycle float64
	for _, d := range m.dwell {
		cycle += d
		leave = append(leave, 1/d)
	}
	for _, d := range m.dwell {
		share = append(share, d/cycle)
	}
	return share, leave
}

// gauss solves a·x = b by elimination with the largest pivot; it overwrites a.
func gauss(a [][]float64, b []float64) []float64 {
	n := len(a)
	x := append([]float64(nil), b...)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		a[c], a[p], x[c], x[p] = a[p], a[c], x[p], x[c]
		for r := c + 1; r < n; r++ {
			f := a[r][c] / a[c][c]
			for k := c; k < n; k++ {
				a[r][k] -= float64(f * a[c][k])
			}
			x[r] -= float64(f * x[c])
		}
	}
	for c := n - 1; c >= 0; c-- {
		for k := c + 1; k < n; k++ {
			x[c] -= float64(a[c][k] * x[k])
		}
		x[c] /= a[c][c]
	}
	return x
}
