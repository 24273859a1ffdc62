package figures

import (
	"maps"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"edgebench/analysis/nodecost"
)

// ColdStarts shows what starting a worker costs, runtimes side by side: the time
// from the decision to a worker that is ready and to its first answer, and the
// memory of some workers together as they write to their heaps.
func ColdStarts(c *nodecost.ColdStart) (*Picture, error) {
	times := newPanel("cold start: median with its 95 % interval; a plus is p99", "", "time (ms)")
	logY(times)
	var names []string
	for i, r := range c.Runtimes {
		names = append(names, r.Name)
		for k, l := range []nodecost.Latency{r.Ready, r.Answered} {
			x := float64(i) + 0.24*(float64(k)-0.5)
			ms := l.P50.Seconds() * 1e3
			if l.P50Low != nil && l.P50High != nil {
				style := line(k)
				style.Dashes = nil
				times.Add(whiskers{items: []whisker{{x, l.P50Low.Seconds() * 1e3, l.P50High.Seconds() * 1e3}}, style: style})
			}
			median, err := plotter.NewScatter(plotter.XYs{{X: x, Y: ms}})
			if err != nil {
				return nil, err
			}
			median.GlyphStyle = glyph(k)
			median.GlyphStyle.Radius = vg.Points(3.5)
			times.Add(median)
			if i == 0 {
				times.key([]string{"ready", "first answer"}[k], median)
			}
			if l.P99 == nil {
				continue
			}
			tail, err := plotter.NewScatter(plotter.XYs{{X: x, Y: l.P99.Seconds() * 1e3}})
			if err != nil {
				return nil, err
			}
			tail.GlyphStyle = glyph(5)
			tail.GlyphStyle.Color = colour(k)
			times.Add(tail)
		}
	}
	times.X.Tick.Marker = namedTicks(names)
	times.X.Min, times.X.Max = -0.5, float64(len(names))-0.5
	times.Y.Min, times.Y.Max = times.Y.Min*0.7, times.Y.Max*2.5
	panels := []*panel{times}
	if memory := startMemory(c, names); memory != nil {
		panels = append(panels, memory)
	}
	return pictureOf(panels...), nil
}

// startMemory has a group of bars a runtime, a bar a state; nil where it was not
// measured.
func startMemory(c *nodecost.ColdStart, names []string) *panel {
	p := newPanel("memory of the workers together, template included", "", "PSS (MB)")
	states := map[string]int{}
	var bars []barRects
	for i, r := range c.Runtimes {
		for _, s := range r.Memory {
			k, ok := states[s.Name]
			if !ok {
				k = len(bars)
				states[s.Name] = k
				bars = append(bars, barRects{style: k})
			}
			left := float64(i) - 0.36 + 0.18*float64(k)
			bars[k].items = append(bars[k].items, barRect{left, left + 0.16, float64(s.AllPSS) / 1e6})
		}
	}
	if len(bars) == 0 {
		return nil
	}
	for _, b := range bars {
		p.Add(b)
	}
	for _, name := range slices.SortedFunc(maps.Keys(states), func(a, b string) int { return states[a] - states[b] }) {
		p.key(stateWord(name), bars[states[name]])
	}
	p.X.Tick.Marker = namedTicks(names)
	p.X.Min, p.X.Max, p.Y.Min = -0.5, float64(len(names))-0.5, 0
	return p
}

// stateWord is a state of memory for people.
func stateWord(state string) string {
	switch state {
	case "dirty_0":
		return "after a request"
	case "dirty_10":
		return "10 % of the heap written"
	case "dirty_100":
		return "all of the heap written"
	}
	return state
}
