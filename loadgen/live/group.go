package live

import (
	"math"

	"edgebench/analysis/look"
)

// maxRows a group keeps. A screen has fewer columns than that.
const maxRows = 1200

// A column is one quantity over time, with what two neighbouring values become
// when rows are joined.
type column struct {
	name string
	join join
}

// A join makes one value of two that stand for so many rows each. Neither is NaN.
type join func(a, b, weightA, weightB float64) float64

func mean(a, b, weightA, weightB float64) float64 {
	return (a*weightA + b*weightB) / (weightA + weightB)
}
func largest(a, b, _, _ float64) float64 { return max(a, b) }
func latest(_, b, _, _ float64) float64  { return b }
func first(a, _, _, _ float64) float64   { return a }

// A group is rows of columns that come together. Its first column is the time in
// seconds of the run. When there are too many rows, neighbours become one, here
// and from then on: the size is bounded and the whole time always there.
type group struct {
	columns []column
	values  []look.Series // by column
	weights []float64     // by row: how many rows it stands for
	span    float64       // how many a row is to stand for; 0 means 1
}

func newGroup(columns ...column) *group {
	return &group{columns: append([]column{{"t", first}}, columns...), values: make([]look.Series, len(columns)+1)}
}

// add appends a row, one value a column; NaN where nothing was measured.
func (g *group) add(row []float64) {
	last := len(g.weights) - 1
	if last >= 0 && g.weights[last] < g.span {
		g.into(last, row, 1)
		return
	}
	for k := range g.columns {
		g.values[k] = append(g.values[k], row[k])
	}
	g.weights = append(g.weights, 1)
	if len(g.weights) > maxRows {
		g.halve()
	}
}

// into joins a row that stands for so many to row i.
func (g *group) into(i int, row []float64, weight float64) {
	for k, c := range g.columns {
		a, b := g.values[k][i], row[k]
		switch {
		case math.IsNaN(a):
			a = b
		case !math.IsNaN(b):
			a = c.join(a, b, g.weights[i], weight)
		}
		g.values[k][i] = a
	}
	g.weights[i] += weight
}

func (g *group) halve() {
	g.span = 2 * max(g.span, 1)
	row := make([]float64, len(g.columns))
	kept := 0
	for i := range g.weights {
		if i > 0 && g.weights[kept-1]+g.weights[i] <= g.span {
			for k := range row {
				row[k] = g.values[k][i]
			}
			g.into(kept-1, row, g.weights[i])
			continue
		}
		for k := range g.columns {
			g.values[k][kept] = g.values[k][i]
		}
		g.weights[kept] = g.weights[i]
		kept++
	}
	for k := range g.columns {
		g.values[k] = g.values[k][:kept]
	}
	g.weights = g.weights[:kept]
}

// A told group is as a page gets it: names, values by column, and how many rows
// a row stands for.
type told struct {
	Columns []string      `json:"columns"`
	Values  []look.Series `json:"values"`
	Span    float64       `json:"span"`
}

func (g *group) tell() told {
	t := told{Values: g.values, Span: max(g.span, 1)}
	for _, c := range g.columns {
		t.Columns = append(t.Columns, c.name)
	}
	return t
}
