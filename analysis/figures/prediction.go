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
		panels  []*plot.Plot
		panelOf = map[string]*plot.Plot{}
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
			p = panel("", "", name)
			panelOf[row.Quantity], panels = p, append(panels, p)
			p.X.Tick.Marker = namedTicks(scopes)
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
	first.Title.Text = fmt.Sprintf("%s, %s: measured and predicted", r.Profile, r.Policy)
	for i, source := range sources {
		if drawnSources[source] {
			first.Legend.Add(string(source), &plotter.Scatter{GlyphStyle: glyph(i)})
		}
	}
	for _, p := range panels {
		p.Y.Max *= 1.1
	}
	headroom(first, len(sources))
	return &Picture{panels: panels, tall: 0.75}, nil
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

func addPoint(p *plot.Plot, i int, x float64, v predict.Value) error {
	if v.Low != nil {
		p.Add(whiskers{items: []whisker{{x, *v.Low, *v.High}}, style: line(i)})
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
