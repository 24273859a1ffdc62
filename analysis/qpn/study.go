package qpn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
)

// A Figure is a number that the study "A unified queueing-based framework for
// comparative evaluation of serverless autoscaling strategies under bursty
// workloads" reports, with what we make of it. It is shown beside ours and is
// never a target.
type Figure struct {
	Model    string
	Variants []string // those of our readings of the model that it may mean
	Lambda   float64  // arrivals per second; 0 for a figure over all rates
	Metric   string   // X, R, N, power, power peak, capacity, scv
	Value    float64  // the study's
	At       float64  // the rate of a peak, 0 where none is given
	Verdict  Judgement
	Why      string // the verdict in a sentence

	ours func() (Ours, error)
}

// Judgement is our verdict on a figure of the study.
type Judgement string

// Judgements.
const (
	Reproduced    Judgement = "reproduced"
	NotReproduced Judgement = "not reproduced"
	Inconsistent  Judgement = "inconsistent"
	NoSteadyState Judgement = "no steady state" // critical or unstable load
	Underspecific Judgement = "free parameters" // not enough is said to repeat it
)

// Ours is our own value of a figure.
type Ours struct {
	Value float64
	At    float64 // the rate of a peak
}

// Ours computes our value by formula. Where there is none to compute the error
// says why: an *exact.Overload for a load without a steady state, ErrNoFormula
// for what only simulation answers.
func (f Figure) Ours() (Ours, error) {
	if f.ours == nil {
		return Ours{}, ErrNoFormula
	}
	return f.ours()
}

// ErrNoFormula marks a figure that only simulation answers.
var ErrNoFormula = errors.New("no formula: simulate it")

// PowerPeak is the metric of the most power X/R over all rates, and its rate.
const PowerPeak = "power peak"

// PeakOf is the point with the most power, nil where none has a steady state.
func PeakOf(points []*Point) (peak *Point) {
	for _, pt := range points {
		if pt.Measures != nil && (peak == nil || pt.Measures.Power.Mean > peak.Measures.Power.Mean) {
			peak = pt
		}
	}
	return peak
}

// Study returns every figure.
func Study() []Figure {
	return slices.Concat(sprFigures(), clsFigures(), mbsFigures())
}

// FiguresAt returns the figures of a variant of a model at an arrival rate.
func FiguresAt(model, variant string, lambda float64) []Figure {
	return slices.DeleteFunc(FiguresOf(model, variant), func(f Figure) bool {
		return f.Lambda == 0 || math.Abs(f.Lambda-lambda) > 1e-9*lambda
	})
}

// FiguresOf returns the figures of a variant of a model.
func FiguresOf(model, variant string) []Figure {
	return slices.DeleteFunc(Study(), func(f Figure) bool {
		return f.Model != model || !slices.Contains(f.Variants, variant)
	})
}

// bursty is the study's arrival process: p = 0.2, C² = 2.125.
func bursty(lambda float64) (dist.H2, error) { return dist.NewH2(1/lambda, 0.2, 2.125) }

func sprFigures() []Figure {
	capacity15 := []string{"5-mu3", "15-mu1"}
	overload := func() (Ours, error) { return Ours{}, exact.Load(15, 15) }
	const critical = "critical load, no steady state: it depends on the length of the run; R·X = 930 is not N"
	return []Figure{
		{Model: "spr", Variants: []string{"unlimited"}, Lambda: 15, Metric: "N", Value: 5, Verdict: Reproduced, Why: "exactly",
			ours: func() (Ours, error) { r, err := exact.MMInf(15, 3); return Ours{Value: r.N}, err }},
		{Model: "spr", Variants: []string{"unlimited"}, Lambda: 15, Metric: "power", Value: 45, Verdict: Reproduced, Why: "exactly",
			ours: func() (Ours, error) { r, err := exact.MMInf(15, 3); return Ours{Value: r.Power}, err }},
		{Model: "spr", Variants: capacity15, Metric: "scv", Value: 2.125, Verdict: Reproduced,
			Why: "p = 0.2 with balanced means has exactly this",
			ours: func() (Ours, error) {
				h, err := bursty(1)
				return Ours{Value: h.SCV()}, err
			}},
		{Model: "spr", Variants: []string{"15-mu3"}, Metric: "capacity", Value: 15, Verdict: Inconsistent,
			Why:  "15 instances of mu 3 serve 45/s (power 37.5 at 12.5/s); a capacity of 15 needs 5 of mu 3 or 15 of mu 1",
			ours: func() (Ours, error) { return Ours{Value: 15 * 3}, nil }},
		{Model: "spr", Variants: capacity15, Lambda: 15, Metric: "N", Value: 416.3, Verdict: NoSteadyState, Why: critical, ours: overload},
		{Model: "spr", Variants: capacity15, Lambda: 15, Metric: "R", Value: 62.4, Verdict: NoSteadyState, Why: critical, ours: overload},
		{Model: "spr", Variants: capacity15, Lambda: 15, Metric: "X", Value: 14.92, Verdict: NoSteadyState, Why: critical, ours: overload},
		{Model: "spr", Variants: capacity15[:1], Metric: PowerPeak, Value: 21.1, At: 12.5, Verdict: NotReproduced,
			Why:  "H2/M/5 peaks earlier and higher",
			ours: func() (Ours, error) { return powerPeak(15, sprAt) }},
	}
}

func sprAt(lambda float64) (exact.Result, error) {
	gap, err := bursty(lambda)
	if err != nil {
		return exact.Result{}, err
	}
	return exact.GIMc(gap, 3, 5)
}

func clsFigures() []Figure {
	var out []Figure
	for _, m := range []struct {
		name             string
		n, k             int
		peak, population float64
		why              string
		verdict          Judgement
	}{
		{"M1", 2, 6, 5, 72360, "unstable: it depends on the length of the run", NoSteadyState},
		{"M2", 3, 4, 9.86, 30880, "unstable: it depends on the length of the run", NoSteadyState},
		{"M3", 4, 3, 14.9, 8110, "critical: it depends on the length of the run", NoSteadyState},
		{"M4", 6, 2, 19.9, 145, "stable, and far smaller", NotReproduced},
	} {
		model := exact.CLS{Instances: m.n, Tokens: m.k, Mu: 3}
		at := func(lambda float64) (exact.Result, error) { return clsAt(model, lambda) }
		out = append(out,
			Figure{Model: "cls", Variants: []string{m.name}, Metric: PowerPeak, Value: m.peak, Verdict: NotReproduced,
				Why:  "overflow order gives ours; shortest queue over 2, 3, 4, 5 instances comes near the four figures (5.40, 9.80, 14.73, 19.99)",
				ours: func() (Ours, error) { return powerPeak(model.Capacity(), at) }},
			Figure{Model: "cls", Variants: []string{m.name}, Lambda: 12, Metric: "N", Value: m.population, Verdict: m.verdict, Why: m.why,
				ours: func() (Ours, error) { r, err := at(12); return Ours{Value: r.N}, err }})
	}
	out[2*3].Verdict, out[2*3].Why = Reproduced, "overflow order over six instances, within 0.4 %"
	out = append(out, Figure{Model: "cls", Variants: []string{"M1"}, Metric: "capacity", Value: 6, Verdict: Reproduced, Why: "exactly",
		ours: func() (Ours, error) { return Ours{Value: exact.CLS{Instances: 2, Mu: 3}.Capacity()}, nil }})
	for metric, value := range map[string]float64{"N": 15300, "R": 3240, "X": 12.9} {
		out = append(out, Figure{Model: "cls", Variants: []string{"5x3"}, Lambda: 15, Metric: metric, Value: value, Verdict: NoSteadyState,
			Why:  "critical load: it depends on the length of the run, and Little's law fails (X·R is 2.7 times N)",
			ours: func() (Ours, error) { return Ours{}, exact.Load(15, 15) }})
	}
	slices.SortStableFunc(out[9:], func(a, b Figure) int { return int(a.Metric[0]) - int(b.Metric[0]) })
	return out
}

func clsAt(model exact.CLS, lambda float64) (exact.Result, error) {
	gap, err := bursty(lambda)
	if err != nil {
		return exact.Result{}, err
	}
	r, err := model.Solve(gap)
	return r.Result, err
}

func mbsFigures() []Figure {
	const order = "critical load; only the order round robin < random < probabilistic can be tested, and it holds"
	overload := func() (Ours, error) { return Ours{}, exact.Load(15, 15) }
	out := []Figure{{Model: "mbs", Variants: []string{"round-robin"}, Metric: PowerPeak, Value: 11.19, At: 10.5, Verdict: Underspecific,
		Why: "window, threshold, idle time and activation delay are not all given"}}
	for _, f := range []struct {
		variant, metric string
		value           float64
	}{{"round-robin", "N", 315}, {"round-robin", "R", 23.3}, {"round-robin", "X", 14.8}, {"random", "R", 33.0}, {"probabilistic", "R", 71.1}} {
		out = append(out, Figure{Model: "mbs", Variants: []string{f.variant}, Lambda: 15, Metric: f.metric, Value: f.value,
			Verdict: NoSteadyState, Why: order, ours: overload})
	}
	return out
}

// powerPeak finds the arrival rate below capacity with the most power X/R, by
// golden-section search: power rises from 0 and returns to 0 at capacity.
func powerPeak(capacity float64, at func(lambda float64) (exact.Result, error)) (Ours, error) {
	var fault error
	power := func(lambda float64) float64 {
		r, err := at(lambda)
		fault = errors.Join(fault, err)
		return r.Power
	}
	ratio := (math.Sqrt(5) - 1) / 2
	low, high := capacity*1e-3, capacity*(1-1e-3)
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	pa, pb := power(a), power(b)
	for high-low > capacity*1e-4 {
		if pa >= pb {
			high, b, pb = b, a, pa
			a = high - ratio*(high-low)
			pa = power(a)
		} else {
			low, a, pa = a, b, pb
			b = low + ratio*(high-low)
			pb = power(b)
		}
	}
	if fault != nil {
		return Ours{}, fmt.Errorf("power peak: %w", fault)
	}
	middle := (low + high) / 2
	return Ours{Value: power(middle), At: middle}, fault
}
