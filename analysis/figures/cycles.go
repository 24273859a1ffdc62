package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis"
)

// coldCycles shows cold starts of each measured phase by cycle: a group of bars
// a cycle, a bar a mode, with the 95 % interval of the mean over trials, and the
// trials themselves where they are few. One panel counts by the node's mark, one by threshold.
func coldCycles(runs []*Run) (*Picture, error) {
	var panels []*panel
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
			p := newPanel(fmt.Sprintf("%s: %s", name, by.title), "cycle", "requests a cycle")
			add := addBars
			if len(groups[0].trials) > mostBars {
				add = addMeans
			}
			if err := add(p, groups); err != nil {
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

// mostBars of a mode: more cycles are a curve, since bars would be thinner than
// their own edges.
const mostBars = 40

// addMeans draws the mean of every cycle as a curve a mode.
func addMeans(p *panel, groups []bars) error {
	for i, g := range groups {
		c := curve{label: fmt.Sprintf("%s (n = %d)", g.label, g.most())}
		for k, values := range g.trials {
			c.x, c.y = append(c.x, float64(k+1)), append(c.y, analysis.OverTrials(values).Mean)
		}
		if err := addCurve(p, i, c.thin(drawn)); err != nil {
			return err
		}
	}
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, max(p.Y.Max, 1)
	return nil
}

// most trials that any cycle has.
func (b *bars) most() (n int) {
	for _, values := range b.trials {
		n = max(n, len(values))
	}
	return n
}

func addBars(p *panel, groups []bars) error {
	const share = 0.8 // of a cycle's width
	one := share / float64(len(groups))
	cycles := 0
	var single plotter.XYs // trials, where there are few
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
			for k, v := range values {
				if len(values) == 1 || len(values) > manyTrials {
					break
				}
				single = append(single, plotter.XY{X: left + one*(float64(k)+1)/float64(len(values)+1), Y: v})
			}
			if t.Low95 != nil && t.N >= leastTrials {
				w.items = append(w.items, whisker{left + one/2, max(*t.Low95, 0), *t.High95})
			}
		}
		rects.style = i
		p.Add(rects)
		if len(w.items) > 0 {
			p.Add(w)
		}
		p.key(fmt.Sprintf("%s (n = %d)", g.label, g.most()), rects)
	}
	if err := addTrials(p, single); err != nil {
		return err
	}
	ticks := make([]plot.Tick, cycles)
	for c := range ticks {
		ticks[c] = plot.Tick{Value: float64(c + 1), Label: fmt.Sprint(c + 1)}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max, p.Y.Min = 0.5, float64(cycles)+0.5, 0
	p.Y.Max = max(p.Y.Max, 1)
	return nil
}

// leastTrials have an interval drawn: that of two is 13 standard errors to each
// side, and hides bars and axis behind it.
const leastTrials = 3

// manyTrials are a cloud beside their interval.
const manyTrials = 6

// addTrials draws single trials as dots over the bar of their mean.
func addTrials(p *panel, at plotter.XYs) error {
	if len(at) == 0 {
		return nil
	}
	dots, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: palette[6], Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}
	p.Add(dots)
	p.key("a trial", dots)
	return nil
}
