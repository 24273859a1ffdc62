package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis"
)

// coldCycles shows cold starts of each measured phase by cycle: a group of bars
// a cycle, a bar a mode, with the 95 % interval of the mean where there are
// trials. One panel counts by the node's mark, one by threshold.
func coldCycles(runs []*Run) (*Picture, error) {
	var panels []*plot.Plot
	for _, name := range measuredNames(runs) {
		for _, by := range []struct {
			title string
			of    func(analysis.Cold) *uint64
		}{
			{"cold by the node's mark", func(c analysis.Cold) *uint64 { return c.Truth }},
			{"cold by threshold", func(c analysis.Cold) *uint64 { return c.ByThreshold }},
		} {
			groups := coldByMode(runs, name, by.of)
			if len(groups) == 0 {
				continue
			}
			p := panel(fmt.Sprintf("%s: %s", name, by.title), "cycle", "requests a cycle")
			if err := addBars(p, groups); err != nil {
				return nil, err
			}
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no measured phase with cold counts", ErrNoData)
	}
	return pictureOf(panels...), nil
}

func measuredNames(runs []*Run) []string {
	var names []string
	for _, r := range runs {
		for _, m := range r.Summary.Measured {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// bars are the bars of one mode, one a cycle.
type bars struct {
	label  string
	trials [][]float64 // by cycle
}

func coldByMode(runs []*Run, name string, of func(analysis.Cold) *uint64) []bars {
	var groups []bars
	index := map[string]int{}
	for _, r := range runs {
		for _, m := range r.Summary.Measured {
			if m.Name != name {
				continue
			}
			for c, cycle := range m.Cycles {
				n := of(cycle.Cold)
				if n == nil {
					continue
				}
				mode := r.Label
				g, ok := index[mode]
				if !ok {
					g = len(groups)
					index[mode] = g
					groups = append(groups, bars{label: mode})
				}
				for len(groups[g].trials) <= c {
					groups[g].trials = append(groups[g].trials, nil)
				}
				groups[g].trials[c] = append(groups[g].trials[c], float64(*n))
			}
		}
	}
	return groups
}

func addBars(p *plot.Plot, groups []bars) error {
	const share = 0.8 // of a cycle's width
	one := share / float64(len(groups))
	cycles := 0
	for i, g := range groups {
		cycles = max(cycles, len(g.trials))
		var rects barRects
		w := whiskers{style: draw.LineStyle{Color: palette[6], Width: vg.Points(0.8)}}
		for c, values := range g.trials {
			if len(values) == 0 {
				continue
			}
			t := analysis.OverTrials(values)
			left := float64(c+1) - share/2 + float64(i)*one
			rects.items = append(rects.items, barRect{left + one*0.05, left + one*0.95, t.Mean})
			if t.Low95 != nil {
				w.items = append(w.items, whisker{left + one/2, max(*t.Low95, 0), *t.High95})
			}
		}
		rects.fill, rects.edge = colour(i), line(i)
		p.Add(rects)
		if len(w.items) > 0 {
			p.Add(w)
		}
		n := 0
		for _, values := range g.trials {
			n = max(n, len(values))
		}
		p.Legend.Add(fmt.Sprintf("%s (n = %d)", g.label, n), rects)
	}
	ticks := make([]plot.Tick, cycles)
	for c := range ticks {
		ticks[c] = plot.Tick{Value: float64(c + 1), Label: fmt.Sprint(c + 1)}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max, p.Y.Min = 0.5, float64(cycles)+0.5, 0
	p.Y.Max = max(p.Y.Max, 1)
	headroom(p, len(groups))
	return nil
}

type barRect struct{ left, right, top float64 }

// barRects are bars from 0, filled lightly and edged in the curve's own dash.
type barRects struct {
	items []barRect
	fill  interface{ RGBA() (r, g, b, a uint32) }
	edge  draw.LineStyle
}

// Plot implements plot.Plotter.
func (b barRects) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, r := range b.items {
		corners := []vg.Point{{X: x(r.left), Y: y(0)}, {X: x(r.right), Y: y(0)}, {X: x(r.right), Y: y(r.top)}, {X: x(r.left), Y: y(r.top)}}
		c.FillPolygon(b.fill, corners)
		c.StrokeLines(b.edge, append(corners, corners[0]))
	}
}

// DataRange implements plot.DataRanger.
func (b barRects) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = b.items[0].left, b.items[0].right
	for _, r := range b.items {
		xmin, xmax, ymax = min(xmin, r.left), max(xmax, r.right), max(ymax, r.top)
	}
	return xmin, xmax, 0, ymax
}

// Thumbnail implements plot.Thumbnailer.
func (b barRects) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.fill, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}
