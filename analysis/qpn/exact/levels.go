package exact

import (
	"fmt"
	"math"
)

// entry is one rate of a sparse block: from row to column.
type entry struct {
	row, col int
	rate     float64
}

// A level is one block row of a block-tridiagonal Markov chain: the states
// with the same population, and the rates from them.
type level struct {
	size            int
	up, local, down []entry // local without the diagonal
}

// solveLevels returns the stationary weights of each level, up to one common
// factor. fold is what the states above the last level send back into it,
// already reduced to local rates among its states.
//
// The chain is folded from the top: with G_l the law of the state in which
// level l−1 is first entered from level l, U_l G_l = down_l where
// U_l = −(local_l + up_l·G_{l+1}). Then upwards pi_{l+1} = pi_l·up_l·U_{l+1}⁻¹.
// Every matrix that is inverted is an M-matrix and every vector is
// non-negative, so that even probabilities of 1e−20 keep their digits.
func solveLevels(levels []level, fold []entry) ([][]float64, error) {
	top := len(levels) - 1
	factors := make([]*matrix, len(levels))
	returned := fold
	for l := top; l >= 0; l-- {
		u := generator(levels[l], returned)
		if l == 0 {
			return climb(levels, factors, u.stationary())
		}
		if !u.factor() {
			return nil, fmt.Errorf("level %d of the chain cannot be left downwards", l)
		}
		factors[l] = u
		g := u.solveEntries(levels[l].down, levels[l-1].size)
		returned = multiply(levels[l-1].up, g, levels[l-1].size)
	}
	panic("unreachable: level 0 returns")
}

// climb carries the weights of level 0 upwards.
func climb(levels []level, factors []*matrix, weights []float64) ([][]float64, error) {
	pi := [][]float64{weights}
	for l := 1; l < len(levels); l++ {
		next := make([]float64, levels[l].size)
		for _, e := range levels[l-1].up {
			next[e.col] += weights[e.row] * e.rate
		}
		factors[l].solveLeft(next)
		weights = next
		pi = append(pi, next)
	}
	return pi, nil
}

// generator returns −(local + returned) with the diagonal that makes each row
// sum to the rate that leaves downwards. The diagonal is summed from what
// leaves, never differenced.
func generator(l level, returned []entry) *matrix {
	m := newMatrix(l.size, l.size)
	for _, part := range [][]entry{l.local, returned} {
		for _, e := range part {
			if e.row != e.col { // returning to the same state is no change
				m.add(e.row, e.col, -e.rate)
				m.add(e.row, e.row, e.rate)
			}
		}
	}
	for _, e := range l.down {
		m.add(e.row, e.row, e.rate)
	}
	return m
}

// multiply returns up·g as entries.
func multiply(up []entry, g *matrix, rows int) []entry {
	sum := newMatrix(rows, g.cols)
	for _, e := range up {
		target, source := sum.row(e.row), g.row(e.col)
		for j, v := range source {
			target[j] += e.rate * v
		}
	}
	var out []entry
	for i := range rows {
		for j, v := range sum.row(i) {
			if v != 0 {
				out = append(out, entry{i, j, v})
			}
		}
	}
	return out
}

// matrix is a dense matrix in row order.
type matrix struct {
	rows, cols int
	data       []float64
}

func newMatrix(rows, cols int) *matrix {
	return &matrix{rows: rows, cols: cols, data: make([]float64, rows*cols)}
}

func (m *matrix) row(i int) []float64     { return m.data[i*m.cols : (i+1)*m.cols] }
func (m *matrix) add(i, j int, v float64) { m.data[i*m.cols+j] += v }
func (m *matrix) at(i, j int) float64     { return m.data[i*m.cols+j] }
func minus(target, source []float64, f float64) {
	source = source[:len(target)]
	for j := range target {
		target[j] -= f * source[j]
	}
}

// factor overwrites m with its LU factors. No pivoting: an M-matrix needs none
// and keeps its signs without.
func (m *matrix) factor() bool {
	for k := range m.rows {
		pivot := m.at(k, k)
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		upper := m.row(k)[k+1:]
		for i := k + 1; i < m.rows; i++ {
			r := m.row(i)
			if r[k] == 0 {
				continue
			}
			r[k] /= pivot
			minus(r[k+1:], upper, r[k])
		}
	}
	return true
}

// solveEntries returns m⁻¹·b for factored m and sparse b.
func (m *matrix) solveEntries(b []entry, cols int) *matrix {
	x := newMatrix(m.rows, cols)
	for _, e := range b {
		x.add(e.row, e.col, e.rate)
	}
	for i := range m.rows {
		for k := range i {
			if f := m.at(i, k); f != 0 {
				minus(x.row(i), x.row(k), f)
			}
		}
	}
	for i := m.rows - 1; i >= 0; i-- {
		target := x.row(i)
		for k := i + 1; k < m.rows; k++ {
			if f := m.at(i, k); f != 0 {
				minus(target, x.row(k), f)
			}
		}
		for j := range target {
			target[j] /= m.at(i, i)
		}
	}
	return x
}

// solveLeft overwrites b with b·m⁻¹ for factored m.
func (m *matrix) solveLeft(b []float64) {
	for k := range b {
		b[k] /= m.at(k, k)
		minus(b[k+1:], m.row(k)[k+1:], b[k])
	}
	for k := len(b) - 1; k >= 0; k-- {
		for i := k + 1; i < len(b); i++ {
			b[k] -= b[i] * m.at(i, k)
		}
	}
}

// stationary returns weights w with w·m = 0 for a negated generator m, by
// Grassmann, Taksar and Heyman's elimination, which never subtracts.
func (m *matrix) stationary() []float64 {
	n := m.rows
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for _, v := range m.row(k)[:k] {
			out -= v
		}
		for i := range k {
			f := m.at(i, k) / out
			m.data[i*m.cols+k] = -f
			for j := range k {
				m.add(i, j, -f*m.at(k, j))
			}
		}
	}
	w := make([]float64, n)
	w[0] = 1
	for k := 1; k < n; k++ {
		for i := range k {
			w[k] += w[i] * m.at(i, k)
		}
	}
	return w
}
