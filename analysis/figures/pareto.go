package figures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis"
	"edgebench/analysis/compare"
)

// paretoOfRuns shows the groups of each profile, a panel each.
func paretoOfRuns(runs []*Run) (*Picture, error) {
	byProfile := map[string][]string{}
	var names []string
	known := map[string]*analysis.Summary{}
	for _, r := range runs {
		known[r.Dir] = r.Summary
		name := r.Manifest.Profile
		if byProfile[name] == nil {
			names = append(names, name)
		}
		byProfile[name] = append(byProfile[name], r.Dir)
	}
	var panels []*panel
	for _, name := range names {
		// The runs were chosen by whoever asks for the figure.
		set, err := compare.Read(byProfile[name], compare.Options{Force: true, Invalid: true, Known: known})
		if err != nil {
			return nil, err
		}
		f, err := compare.Pareto(set, "", "", compare.Options{})
		if errors.Is(err, compare.ErrUsage) || err == nil && len(f.Points) < 2 {
			continue // an axis that nobody measured, or nothing to trade
		}
		if err != nil {
			return nil, err
		}
		p, err := paretoPanel(f)
		if err != nil {
			return nil, err
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no two groups with a cost and a quality", ErrNoData)
	}
	return tallPicture(1.6, panels...), nil
}

// Pareto shows groups at cost against quality with 95 % intervals, and the
// frontier: the stairs below which nothing is.
func Pareto(f *compare.Frontier) (*Picture, error) {
	p, err := paretoPanel(f)
	if err != nil {
		return nil, err
	}
	return tallPicture(1.6, p), nil
}

func paretoPanel(f *compare.Frontier) (*panel, error) {
	title := f.Groups[0].Profile
	if f.Phase != "" {
		title += ", " + f.Phase
	}
	xUnit, yUnit := axisOf(f.X.Unit), axisOf(f.Y.Unit)
	p := newPanel(title+": lower left is better", xUnit.label(strings.ReplaceAll(f.X.Name, "_", " ")), yUnit.label(strings.ReplaceAll(f.Y.Name, "_", " ")))
	var stairs plotter.XYs
	for _, point := range f.Points {
		if !point.OnFrontier {
			continue
		}
		x, y := point.X.Mean*xUnit.factor, point.Y.Mean*yUnit.factor
		if n := len(stairs); n > 0 {
			stairs = append(stairs, plotter.XY{X: x, Y: stairs[n-1].Y})
		}
		stairs = append(stairs, plotter.XY{X: x, Y: y})
	}
	frontier, err := plotter.NewLine(stairs)
	if err != nil {
		return nil, err
	}
	frontier.LineStyle = draw.LineStyle{Color: grey, Width: vg.Points(1), Dashes: dashes[2]}
	p.Add(frontier)
	p.key("frontier", frontier)
	order := slices.Clone(f.Points)
	slices.SortStableFunc(order, func(a, b compare.Point) int {
		return slices.Index(letters(f), a.Letter) - slices.Index(letters(f), b.Letter)
	})
	for _, point := range order {
		i := slices.Index(letters(f), point.Letter)
		if err := addCross(p, i, point, xUnit.factor, yUnit.factor); err != nil {
			return nil, err
		}
	}
	p.X.Min, p.Y.Min = max(p.X.Min-0.05*(p.X.Max-p.X.Min), 0), 0
	p.X.Max += 0.05 * (p.X.Max - p.X.Min)
	p.Y.Max = max(p.Y.Max, 1e-9)
	return p, nil
}

func letters(f *compare.Frontier) []string {
	out := make([]string, len(f.Groups))
	for i, g := range f.Groups {
		out[i] = g.Letter
	}
	return out
}

// addCross is a group: its mean as a glyph, both intervals as whiskers.
func addCross(p *panel, i int, point compare.Point, fx, fy float64) error {
	x, y := point.X.Mean*fx, point.Y.Mean*fy
	style := line(i)
	style.Dashes = nil
	told := point.Trials >= leastTrials
	if v := point.Y.Interval(); told && v != nil && v.High > v.Low {
		p.Add(whiskers{items: []whisker{{x, max(v.Low*fy, 0), v.High * fy}}, style: style})
	}
	if v := point.X.Interval(); told && v != nil && v.High > v.Low {
		p.Add(whiskers{items: []whisker{{y, max(v.Low*fx, 0), v.High * fx}}, style: style, flat: true})
	}
	s, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
	if err != nil {
		return err
	}
	s.GlyphStyle = glyph(i)
	s.GlyphStyle.Radius = vg.Points(3.5)
	p.Add(s)
	p.key(fmt.Sprintf("%s (n = %d)", point.Name, point.Trials), s)
	return nil
}

// A unit is how an axis writes a metric.
type unit struct {
	name   string
	factor float64
}

func (u unit) label(metric string) string {
	if u.name == "" {
		return metric
	}
	return metric + " (" + u.name + ")"
}

func axisOf(u compare.Unit) unit {
	switch u {
	case compare.Nanoseconds:
		return unit{"ms", 1e-6}
	case compare.Bytes:
		return unit{"MB", 1e-6}
	case compare.ByteSeconds:
		return unit{"GB·s", 1e-9}
	case compare.Seconds:
		return unit{"s", 1}
	case compare.Share:
		return unit{"%", 100}
	}
	return unit{"", 1}
}
