package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A curve is y over x; NaN is a gap.
type curve struct {
	label string // "" keeps it out of the legend
	x, y  []float64
	step  bool // y holds until the next x
}

// addCurve draws a curve in style i.
func addCurve(p *panel, i int, c curve) error {
	first := true
	for from := 0; from < len(c.x); {
		if math.IsNaN(c.y[from]) {
			from++
			continue
		}
		to := from
		for to < len(c.x) && !math.IsNaN(c.y[to]) {
			to++
		}
		xy := make(plotter.XYs, to-from)
		for k := range xy {
			xy[k].X, xy[k].Y = c.x[from+k], c.y[from+k]
		}
		l, err := plotter.NewLine(xy)
		if err != nil {
			return err
		}
		l.LineStyle = line(i)
		if c.step {
			l.StepStyle = plotter.PostStep
		}
		p.Add(l)
		if first && c.label != "" {
			p.key(c.label, l)
			first = false
		}
		from = to
	}
	return nil
}

// A span shades the full height between two x.
type span struct {
	from, to float64
	colour   color.NRGBA
}

// Plot implements plot.Plotter. It has no data range: it never widens an axis.
func (s span) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	left, right := max(x(s.from), c.Min.X), min(x(s.to), c.Max.X)
	if left >= right {
		return
	}
	c.FillPolygon(s.colour, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
}

// Thumbnail implements plot.Thumbnailer.
func (s span) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.colour, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// A rule is a straight line across the panel, at an x or at a y.
type rule struct {
	at         float64
	horizontal bool
	style      draw.LineStyle
}

// Plot implements plot.Plotter; like a span it never widens an axis.
func (r rule) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if r.horizontal {
		if at := y(r.at); at >= c.Min.Y && at <= c.Max.Y {
			c.StrokeLine2(r.style, c.Min.X, at, c.Max.X, at)
		}
		return
	}
	if at := x(r.at); at >= c.Min.X && at <= c.Max.X {
		c.StrokeLine2(r.style, at, c.Min.Y, at, c.Max.Y)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (r rule) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	if r.horizontal {
		c.StrokeLine2(r.style, c.Min.X, middle.Y, c.Max.X, middle.Y)
		return
	}
	c.StrokeLine2(r.style, middle.X, c.Min.Y, middle.X, c.Max.Y)
}

// A whisker is an interval at x, with its ends; of flat ones, at y.
type whisker struct{ x, low, high float64 }

// whiskers are intervals in one style.
type whiskers struct {
	items []whisker
	style draw.LineStyle
	flat  bool // intervals in x
}

// Plot implements plot.Plotter.
func (w whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = vg.Length(2.5)
	for _, i := range w.items {
		if w.flat {
			at, low, high := y(i.x), x(i.low), x(i.high)
			c.StrokeLine2(w.style, low, at, high, at)
			c.StrokeLine2(w.style, low, at-half, low, at+half)
			c.StrokeLine2(w.style, high, at-half, high, at+half)
			continue
		}
		at, low, high := x(i.x), y(i.low), y(i.high)
		c.StrokeLine2(w.style, at, low, at, high)
		c.StrokeLine2(w.style, at-half, low, at+half, low)
		c.StrokeLine2(w.style, at-half, high, at+half, high)
	}
}

// DataRange implements plot.DataRanger.
func (w whiskers) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, i := range w.items {
		xmin, xmax = min(xmin, i.x), max(xmax, i.x)
		ymin, ymax = min(ymin, i.low), max(ymax, i.high)
	}
	if w.flat {
		return ymin, ymax, xmin, xmax
	}
	return xmin, xmax, ymin, ymax
}

// thin keeps a curve drawable: of each of at most n stretches the smallest and
// the largest value, in the order in which they came, so that no extreme is lost.
func (c curve) thin(n int) curve {
	if len(c.x) <= 2*n {
		return c
	}
	out := curve{label: c.label, step: c.step}
	for b := range n {
		from, to := b*len(c.x)/n, (b+1)*len(c.x)/n
		low, high := from, from
		for i := from; i < to; i++ {
			if !(c.y[i] >= c.y[low]) {
				low = i
			}
			if !(c.y[i] <= c.y[high]) {
				high = i
			}
		}
		for _, i := range []int{min(low, high), max(low, high)} {
			out.x, out.y = append(out.x, c.x[i]), append(out.y, c.y[i])
		}
	}
	return out
}
