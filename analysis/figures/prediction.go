package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"edgebench/analysis/predict"
)

// Prediction shows measured values beside predicted ones, one panel a quantity,
// a column a scope. Whiskers are 95 % intervals.
func Prediction(r *predict.Report) (*Picture, error) {
	sources := []predict.Source{predict.Measured, predict.Twin, predict.Net, predict.Exact}
	var (
		scopes  []string
		column  = map[string]int{}
		panels  []*panel
		panelOf = map[string]*panel{}
		told    = map[string]bool{} // quantities that are not 0 throughout

		drawnSources = map[predict.Source]bool{}
	)
	for _, row := range r.Rows {
		if _, ok := column[row.Scope]; !ok {
			column[row.Scope] = len(scopes)
			scopes = append(scopes, row.Scope)
		}
		for _, source := range sources {
			v, ok := valueFrom(row, source)
			told[row.Quantity] = told[row.Quantity] || ok && v.Mean != 0
		}
	}
	for _, row := range r.Rows {
		if !told[row.Quantity] {
			continue
		}
		p := panelOf[row.Quantity]
		if p == nil {
			name := row.Quantity
			if row.Unit != "" {
				name += " (" + row.Unit + ")"
			}
			p = newPanel(name, "", "")
			panelOf[row.Quantity], panels = p, append(panels, p)
			p.X.Tick.Marker, p.Y.Tick.Marker = namedTicks(scopes), roundTicks{4}
			p.X.Min, p.X.Max, p.Y.Min = -0.5, float64(len(scopes))-0.5, 0
		}
		for i, source := range sources {
			v, ok := valueFrom(row, source)
			if !ok {
				continue
			}
			drawnSources[source] = true
			x := float64(column[row.Scope]) + 0.12*(float64(i)-1.5)
			if err := addPoint(p, i, x, v); err != nil {
				return nil, err
			}
		}
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("%w: no quantity", ErrNoData)
	}
	first := panels[0]
	first.Title.Text = fmt.Sprintf("%s, %s: %s", r.Profile, r.Policy, first.Title.Text)
	for i, source := range sources {
		if drawnSources[source] {
			first.key(sourceName(r, source), &plotter.Scatter{GlyphStyle: glyph(i)})
		}
	}
	return tallPicture(0.75, panels...), nil
}

// sourceName is what a column is called: what was given as measured may be the
// twin's own.
func sourceName(r *predict.Report, source predict.Source) string {
	switch {
	case source != predict.Measured || r.Simulated == 0:
		return string(source)
	case r.Simulated < len(r.Runs):
		return "measured, some of it simulated"
	}
	return "runs given, all simulated"
}

func valueFrom(row predict.Row, source predict.Source) (predict.Value, bool) {
	if source == predict.Measured {
		if row.Measured == nil {
			return predict.Value{}, false
		}
		return *row.Measured, true
	}
	for _, p := range row.Predictions {
		if p.Source == source {
			return p.Value, true
		}
	}
	return predict.Value{}, false
}

func addPoint(p *panel, i int, x float64, v predict.Value) error {
	if v.Low != nil {
		style := line(i)
		style.Dashes = nil
		p.Add(whiskers{items: []whisker{{x, *v.Low, *v.High}}, style: style})
	}
	s, err := plotter.NewScatter(plotter.XYs{{X: x, Y: v.Mean}})
	if err != nil {
		return err
	}
	s.GlyphStyle = glyph(i)
	p.Add(s)
	return nil
}

func namedTicks(names []string) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return ticks
}
