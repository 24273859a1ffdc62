package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type barRect struct{ left, right, top float64 }

// barRects are bars from 0 in one style: each has a colour and a hatching of its
// own, so that they can be told apart in a grey print.
type barRects struct {
	items []barRect
	style int
}

// Plot implements plot.Plotter.
func (b barRects) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, r := range b.items {
		b.draw(c, vg.Rectangle{Min: vg.Point{X: x(r.left), Y: y(0)}, Max: vg.Point{X: x(r.right), Y: y(r.top)}})
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
func (b barRects) Thumbnail(c *draw.Canvas) { b.draw(*c, c.Rectangle) }

// draw fills the rectangle: solid, hatched one way, the other way, and empty in turn.
func (b barRects) draw(c draw.Canvas, r vg.Rectangle) {
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	fill := colour(b.style)
	if b.style%4 != 0 {
		fill = faint(fill)
	}
	c.FillPolygon(fill, corners)
	edge := draw.LineStyle{Color: colour(b.style), Width: vg.Points(0.8)}
	switch b.style % 4 {
	case 1:
		hatch(c, edge, r, false)
	case 2:
		hatch(c, edge, r, true)
	}
	c.StrokeLines(edge, append(corners, corners[0]))
}

// hatch fills a rectangle with parallel lines at 45 degrees, rising or falling.
func hatch(c draw.Canvas, style draw.LineStyle, r vg.Rectangle, falling bool) {
	const apart = 4.5 // points
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	for at := vg.Points(apart); at < w+h; at += vg.Points(apart) {
		// From the left or the lower edge to the upper or the right one.
		x1, y1 := max(at-h, 0), min(at, h)
		x2, y2 := min(at, w), max(at-w, 0)
		y1, y2 = h-y1, h-y2
		if falling {
			y1, y2 = h-y1, h-y2
		}
		c.StrokeLine2(style, r.Min.X+x1, r.Min.Y+y1, r.Min.X+x2, r.Min.Y+y2)
	}
}
