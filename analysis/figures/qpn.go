package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/stats"
)

// A Sweep is a model over arrival rates.
type Sweep struct {
	Label  string
	Points []*qpn.Point
}

// ModelCurves shows throughput, response time, population and power of models
// over the arrival rate: simulated with intervals, exact as small rings where a
// formula exists, the capacity as a vertical line. Points without a steady state
// are left out.
func ModelCurves(title string, sweeps []Sweep) (*Picture, error) {
	metrics := []struct {
		name  string
		of    func(*qpn.Measures) stats.Interval
		exact func(*exact.Result) float64
		log   bool
	}{
		{"X (1/s)", func(m *qpn.Measures) stats.Interval { return m.X }, func(r *exact.Result) float64 { return r.X }, false},
		{"R (s)", func(m *qpn.Measures) stats.Interval { return m.R }, func(r *exact.Result) float64 { return r.R }, true},
		{"N", func(m *qpn.Measures) stats.Interval { return m.N }, func(r *exact.Result) float64 { return r.N }, true},
		{"power X/R (1/s²)", func(m *qpn.Measures) stats.Interval { return m.Power }, func(r *exact.Result) float64 { return r.Power }, false},
	}
	var panels []*panel
	steady := 0
	for k, metric := range metrics {
		p := newPanel("", "", metric.name)
		if k == 0 {
			p.Title.Text = title
		}
		if metric.log {
			logY(p)
		}
		var limits []float64
		for i, s := range sweeps {
			var sim Series
			var formula rings
			for _, pt := range s.Points {
				if m := pt.Measures; m != nil {
					v := metric.of(m)
					sim.X, sim.Y = append(sim.X, pt.Lambda), append(sim.Y, v.Mean)
					low, high := v.Low(), v.High()
					if math.IsNaN(v.Half) || metric.log && low <= 0 {
						low, high = v.Mean, v.Mean
					}
					sim.Low, sim.High = append(sim.Low, low), append(sim.High, high)
				}
				if pt.Exact != nil {
					formula.at = append(formula.at, [2]float64{pt.Lambda, metric.exact(pt.Exact)})
				}
			}
			steady += len(sim.X)
			if k == 0 {
				sim.Label = s.Label
			}
			if err := addSeries(p, i, sim); err != nil {
				return nil, err
			}
			if len(formula.at) > 0 {
				formula.style = draw.GlyphStyle{Color: colour(i), Radius: vg.Points(4.5), Shape: draw.RingGlyph{}}
				p.Add(formula)
			}
			if c := s.Points[0].Capacity; c > 0 && !math.IsInf(c, 1) {
				limit := line(i)
				limit.Width = vg.Points(0.6)
				p.Add(rule{at: c, style: limit})
				limits = append(limits, c)
			}
		}
		if metric.log {
			roundOut(&p.Y)
		}
		p.X.Min = min(p.X.Min, 0)
		for _, c := range limits { // a rule widens no axis
			p.X.Max = max(p.X.Max, 1.02*c)
		}
		panels = append(panels, p)
	}
	if steady < 2*len(metrics) {
		return nil, fmt.Errorf("%w: fewer than two points have a steady state", ErrNoData)
	}
	panels[len(panels)-1].X.Label.Text = "arrivals lambda (1/s); rings: exact; vertical lines: capacity"
	return pictureOf(panels...), nil
}

// rings mark exact values around the simulated ones.
type rings struct {
	at    [][2]float64
	style draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (r rings) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, v := range r.at {
		c.DrawGlyph(r.style, vg.Point{X: x(v[0]), Y: y(v[1])})
	}
}

// ModelTrace shows the requests at a model's servers over time, from the traced
// run of a point: how instances fill one after the other. Places without servers,
// and those that are always empty, are left out.
func ModelTrace(title string, pt *qpn.Point) (*Picture, error) {
	if len(pt.Trace) == 0 {
		return nil, fmt.Errorf("%w: the point has no trace", ErrNoData)
	}
	population := newPanel(fmt.Sprintf("%s, lambda %g: requests at each server", title, pt.Lambda), "", "requests")
	flow := newPanel("throughput of each period", "time (s)", "1/s")
	var at, out []float64
	for _, row := range pt.Trace {
		at, out = append(at, row.End), append(out, row.Throughput)
	}
	style := 0
	for i, name := range pt.Places {
		if !pt.Queues[i] {
			continue
		}
		tokens := make([]float64, len(pt.Trace))
		most := 0.0
		for k, row := range pt.Trace {
			tokens[k] = row.Places[i]
			most = max(most, tokens[k])
		}
		if most == 0 {
			continue
		}
		if err := addCurve(population, style, curve{name, at, tokens, false}.thin(drawn)); err != nil {
			return nil, err
		}
		style++
	}
	if err := addCurve(flow, 0, curve{"", at, out, true}.thin(drawn)); err != nil {
		return nil, err
	}
	population.Y.Min, flow.Y.Min = 0, 0
	return pictureOf(population, flow), nil
}
