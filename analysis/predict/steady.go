package predict

import (
	"context"
	"fmt"
	"math"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/stats"
	"edgebench/profiles"
)

// A Steady is what the steady state of a queueing model is for the phases of one
// name: what a phase of constant rate would come to if it never ended.
type Steady struct {
	Scope  string
	Models []Model // those that gave numbers
	values map[Source]map[string]Value
}

func (s Steady) value(source Source, quantity string) (Value, bool) {
	v, ok := s.values[source][quantity]
	return v, ok
}

// leaves is what a steady state leaves out of any phase of a run.
var leaves = []string{
	"the start: a phase begins with what the one before left, and ends before it has settled",
	"starts of instances, the network, the operating system",
}

// SteadyStates evaluates the queueing model of the profile's policy for every
// phase of constant rate. The notes say for which phases there is none, and why.
// A cancelled ctx is an error.
func SteadyStates(ctx context.Context, p *profiles.Profile, o qpn.Options) ([]Steady, []string, error) {
	model, why := modelOf(p)
	if model == nil {
		return nil, []string{"no queueing model: " + why}, nil
	}
	var (
		out   []Steady
		notes []string
	)
	for _, ph := range constant(p) {
		points, err := qpn.Sweep(ctx, model, []float64{ph.rate}, o, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("predict: phase %s: %w", ph.scope, err)
		}
		pt := points[0]
		if !pt.Verdict.Steady() {
			notes = append(notes, fmt.Sprintf("phase %s at %.4g/s, %s: %s (%s)", ph.scope, ph.rate, model.Title(), pt.Verdict, pt.Reason))
			continue
		}
		out = append(out, steadyOf(ph.scope, model, pt))
		for _, w := range pt.Warnings {
			notes = append(notes, fmt.Sprintf("phase %s, %s: %s", ph.scope, model.Title(), w))
		}
	}
	if len(out) == 0 && len(notes) == 0 {
		notes = append(notes, "no phase keeps one rate in every cycle: a steady state describes none of them")
	}
	return out, notes, nil
}

func steadyOf(scope string, m *qpn.Model, pt *qpn.Point) Steady {
	s := Steady{Scope: scope, values: map[Source]map[string]Value{}}
	if e := pt.Exact; e != nil {
		s.Models = append(s.Models, Model{Exact, m.Description, []string{scope}, leaves})
		s.values[Exact] = map[string]Value{
			throughput: {Mean: e.X}, response: {Mean: 1e3 * e.R}, population: {Mean: e.N},
		}
	}
	if e := pt.Measures; e != nil {
		s.Models = append(s.Models, Model{Net, m.Description, []string{scope}, leaves})
		s.values[Net] = map[string]Value{
			throughput: interval(e.X, 1), response: interval(e.R, 1e3), population: interval(e.N, 1),
			p50: interval(e.P50, 1e3), p90: interval(e.P90, 1e3), p99: interval(e.P99, 1e3),
		}
	}
	return s
}

func interval(i stats.Interval, unit float64) Value {
	v := Value{Mean: unit * i.Mean, N: i.N}
	if !math.IsNaN(i.Half) {
		v.Low, v.High = new(unit*i.Low()), new(unit*i.High())
	}
	return v
}

// A constantPhase has one rate in every cycle.
type constantPhase struct {
	scope string
	rate  float64
}

func constant(p *profiles.Profile) []constantPhase {
	varies := map[string]bool{}
	for _, o := range p.Cycles.Overrides {
		varies[o.Phase] = varies[o.Phase] || o.Rate != nil
	}
	all := scopes(p)
	var out []constantPhase
	for _, ph := range p.Phases {
		if ph.Rate.From != ph.Rate.To || ph.Rate.From <= 0 || varies[ph.Name] {
			continue
		}
		scope := ph.Name
		if len(all) == 1 {
			scope = Whole
		}
		out = append(out, constantPhase{scope, ph.Rate.From})
	}
	return out
}
