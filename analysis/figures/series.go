package figures

import (
	"gonum.org/v1/plot/plotter"
)

// A Series is y over x with intervals.
type Series struct {
	Label     string
	X, Y      []float64
	Low, High []float64 // ends of the intervals; nil for none
}

// Curves draws series in one panel, points joined by lines, intervals as
// whiskers: a sweep of one parameter.
func Curves(title, x, y string, series []Series) (*Picture, error) {
	p := newPanel(title, x, y)
	for i, s := range series {
		if err := addSeries(p, i, s); err != nil {
			return nil, err
		}
	}
	p.Y.Min = min(p.Y.Min, 0)
	return pictureOf(p), nil
}

func addSeries(p *panel, i int, s Series) error {
	if len(s.X) == 0 {
		return nil
	}
	if s.Low != nil {
		w := whiskers{style: line(i)}
		w.style.Dashes = nil
		for k, x := range s.X {
			w.items = append(w.items, whisker{x, s.Low[k], s.High[k]})
		}
		p.Add(w)
	}
	xy := make(plotter.XYs, len(s.X))
	for k := range xy {
		xy[k].X, xy[k].Y = s.X[k], s.Y[k]
	}
	l, dots, err := plotter.NewLinePoints(xy)
	if err != nil {
		return err
	}
	l.LineStyle, dots.GlyphStyle = line(i), glyph(i)
	p.Add(l, dots)
	if s.Label != "" {
		p.key(s.Label, l, dots)
	}
	return nil
}
