// Package predict sets what was measured beside what models say: the node's
// twin, a simulated queueing net and a formula, for the same schedule and the
// same service law. It decides which model fits which phase, and states what
// each of them leaves out; a model that has no steady state, or fits no phase,
// gives no number rather than a wrong one.
package predict

import (
	"slices"

	"edgebench/analysis"
	"edgebench/profiles"
)

// A Source is where a number comes from.
type Source string

// Sources, in the order of their columns.
const (
	Measured Source = "measured" // run directories of the generator
	Twin     Source = "twin"     // the node's own code under a virtual clock
	Net      Source = "net"      // a queueing net, simulated in its steady state
	Exact    Source = "exact"    // a formula for the steady state
)

// A Value is a mean over trials with its 95 % interval.
type Value struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low95"` // null where there is one trial, or the number is exact
	High *float64 `json:"high95"`
	N    int      `json:"n"` // trials or replications; 0 for a formula
}

// A Prediction is a model's number beside the measured one.
type Prediction struct {
	Source Source `json:"source"`
	Value

	// Error is predicted/measured − 1, with its 95 % interval where both sides
	// have more than one trial; null when nothing was measured or it was 0.
	Error     *float64 `json:"relative_error"`
	ErrorLow  *float64 `json:"relative_error_low95"`
	ErrorHigh *float64 `json:"relative_error_high95"`
	// Rank is the share of the model's trials at or below the measured mean, for
	// models with trials: near 0 or 1 the measurement lies outside of what they do.
	Rank *float64 `json:"rank"`
}

// A Row is one quantity of one scope: the whole run, or the phases of one name.
type Row struct {
	Scope       string       `json:"scope"`
	Quantity    string       `json:"quantity"`
	Unit        string       `json:"unit"`
	Measured    *Value       `json:"measured"` // null: not measured
	Predictions []Prediction `json:"predictions"`
}

// Whole is the scope of the whole run.
const Whole = "run"

// A Model says what a source of numbers is and what it does not know of.
type Model struct {
	Source Source   `json:"source"`
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"` // null for all
	Leaves []string `json:"leaves_out"`
}

// A Report is a whole comparison.
type Report struct {
	Profile string   `json:"profile"`
	Policy  string   `json:"policy"`
	Service string   `json:"service"` // the law the models were given
	Runs    []string `json:"runs"`
	// Simulated of the runs are the twin's own, compared with itself.
	Simulated int      `json:"runs_simulated"`
	Doubts    []string `json:"doubts"` // measured runs that are invalid or partial, and why
	Models    []Model  `json:"models"`
	Rows      []Row    `json:"rows"`
	Notes     []string `json:"notes"`
}

// Compare sets the summaries of measured runs beside those of simulated trials
// and the steady states of phases. Summaries are of one profile; measured may be
// empty.
func Compare(p *profiles.Profile, measured, simulated []*analysis.Summary, steady []Steady) *Report {
	r := &Report{Profile: p.Name, Runs: []string{}, Doubts: []string{}, Models: []Model{}, Notes: []string{}}
	if b := p.Target.Bundled; b != nil {
		r.Policy = b.Policy.Name
		r.Service = b.Service.Law + " " + b.Service.Mean.String()
	}
	if len(simulated) > 0 {
		r.Models = append(r.Models, Model{Twin, "the node's pool, policy and dispatch code under a virtual clock", nil, twinLeaves})
	}
	for _, s := range steady {
		for _, m := range s.Models {
			r.model(m)
		}
	}
	for _, scope := range scopes(p) {
		for _, q := range quantities {
			r.add(scope, q, measured, simulated, steady)
		}
	}
	return r
}

// model tells of a model once, with every scope it has numbers for.
func (r *Report) model(m Model) {
	for i := range r.Models {
		if known := &r.Models[i]; known.Source == m.Source && known.Name == m.Name {
			known.Scopes = append(known.Scopes, m.Scopes...)
			return
		}
	}
	m.Scopes = slices.Clone(m.Scopes)
	r.Models = append(r.Models, m)
}

// twinLeaves is what separates the twin from a live run.
var twinLeaves = []string{
	"the network and the node's own handling of a request",
	"the operating system: scatter of late wake-ups, and contention for cores",
	"scatter of worker starts: each takes the same time",
}

func (r *Report) add(scope string, q quantity, measured, simulated []*analysis.Summary, steady []Steady) {
	row := Row{Scope: scope, Quantity: q.name, Unit: q.unit, Predictions: []Prediction{}}
	seen := trials(measured, scope, q)
	if len(seen) > 0 {
		row.Measured = new(valueOf(seen))
	}
	if twin := trials(simulated, scope, q); len(twin) > 0 {
		row.Predictions = append(row.Predictions, predictTrials(twin, seen))
	}
	for _, s := range steady {
		if s.Scope != scope {
			continue
		}
		for _, source := range []Source{Net, Exact} {
			if v, ok := s.value(source, q.name); ok {
				row.Predictions = append(row.Predictions, predictValue(source, v, seen))
			}
		}
	}
	if row.Measured != nil || len(row.Predictions) > 0 {
		r.Rows = append(r.Rows, row)
	}
}

func valueOf(values []float64) Value {
	t := analysis.OverTrials(values)
	return Value{Mean: t.Mean, Low: t.Low95, High: t.High95, N: t.N}
}
