package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis/compare"
)

// Comparison shows how far each group lies from the first, metric by metric, as
// a share of the first one's mean with its 95 % interval. A metric that is 0 in
// the first group has no share and is left out.
func Comparison(c *compare.Comparison) (*Picture, error) {
	title := fmt.Sprintf("against %s %s: left is less, and less is better", c.Groups[0].Letter, c.Groups[0].Name)
	p := newPanel(title, "difference (% of its mean)", "")
	p.Add(rule{at: 0, style: draw.LineStyle{Color: grey, Width: vg.Points(1)}})
	var names []string
	for _, r := range c.Rows {
		for i := range c.Pairs {
			if relativeOf(c, i, r.Name) != nil && !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: no metric that both groups have", ErrNoData)
	}
	slices.Reverse(names) // the first on top
	for i := range c.Pairs {
		if err := addPair(p, c, i, names); err != nil {
			return nil, err
		}
	}
	p.Y.Tick.Marker = namedTicks(names)
	p.Y.Min, p.Y.Max = -0.7, float64(len(names))-0.3
	p.X.Min, p.X.Max = min(p.X.Min, -1), max(p.X.Max, 1)
	return tallPicture(0.4+0.1*float64(len(names)), p), nil
}

// relativeOf is the difference of a pair in a metric, nil where it has no share.
func relativeOf(c *compare.Comparison, pair int, metric string) *compare.Difference {
	for i := range c.Pairs[pair].Differences {
		if d := &c.Pairs[pair].Differences[i]; d.Metric == metric && d.Relative != nil {
			return d
		}
	}
	return nil
}

// addPair draws a group's differences, each pair a little below the one before.
func addPair(p *panel, c *compare.Comparison, pair int, names []string) error {
	style := line(pair)
	style.Dashes = nil
	bars := whiskers{style: style, flat: true}
	var at plotter.XYs
	for y, name := range names {
		d := relativeOf(c, pair, name)
		if d == nil {
			continue
		}
		level := float64(y) + 0.5*(0.5-(float64(pair)+0.5)/float64(len(c.Pairs)))
		at = append(at, plotter.XY{X: *d.Relative * 100, Y: level})
		if d.Interval != nil && d.Mean != 0 && min(d.N[0], d.N[1]) >= leastTrials {
			share := 100 * *d.Relative / d.Mean // of a unit of the metric
			bars.items = append(bars.items, whisker{level, min(d.Interval.Low*share, d.Interval.High*share), max(d.Interval.Low*share, d.Interval.High*share)})
		}
	}
	if len(at) == 0 {
		return nil
	}
	if len(bars.items) > 0 {
		p.Add(bars)
	}
	marks, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	marks.GlyphStyle = glyph(pair)
	p.Add(marks)
	b := c.Groups[pair+1]
	p.key(fmt.Sprintf("%s %s (n = %d)", b.Letter, b.Name, len(b.Trials)), marks)
	return nil
}
