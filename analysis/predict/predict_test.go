package predict

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/qpn"
	"edgebench/profiles"
)

func load(t *testing.T, name string, sets ...string) *profiles.Profile {
	t.Helper()
	var parsed []profiles.Set
	for _, text := range sets {
		s, err := profiles.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, s)
	}
	p, err := profiles.LoadWith(name, parsed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The steps of the h2 profile are H2/M/5, whose exact response times the
// reference table has.
func TestSteadyStatesOfH2(t *testing.T) {
	t.Parallel()
	states, notes, err := SteadyStates(context.Background(), load(t, "h2"), qpn.Options{Departures: 40_000, Replications: 6})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"step-5": 340.70, "step-10": 452.96, "step-12_5": 748.99, "step-14": 1678.29}
	if len(states) != len(want) {
		t.Fatalf("%d states, notes %q; want %d", len(states), notes, len(want))
	}
	for _, s := range states {
		e, ok := s.value(Exact, response)
		if !ok || math.Abs(e.Mean-want[s.Scope]) > 0.01 {
			t.Errorf("%s: exact R %.3f ms, want %.2f", s.Scope, e.Mean, want[s.Scope])
		}
		n, ok := s.value(Net, response)
		if !ok || n.Low == nil || math.Abs(n.Mean/e.Mean-1) > 0.2 {
			t.Errorf("%s: net R %+v beside exact %.1f ms", s.Scope, n, e.Mean)
		}
	}
}

func TestNoSteadyStateSaysWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		profile string
		sets    []string
		want    string
	}{
		{"a policy of its own rules", "bursty-ramp", nil, "policy ewma changes the number of workers"},
		{"one-offs", "bursty-ramp", []string{"target.bundled.policy=static", "target.bundled.workers=15"}, "with miss oneoff"},
		{"overload", "h2", []string{"target.bundled.workers=1"}, "unstable"},
		{"somebody else's", "constant", []string{"target.url=http://h"}, "not a node of ours"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			states, notes, err := SteadyStates(context.Background(), load(t, c.profile, c.sets...), qpn.Options{Departures: 5000, Replications: 2})
			if err != nil || len(states) != 0 || !strings.Contains(strings.Join(notes, "\n"), c.want) {
				t.Errorf("%d states, notes %q, error %v; want none and a note with %q", len(states), notes, err, c.want)
			}
		})
	}
}

// The study's policies on five instances are the models of the reference table:
// H2/M/5, CLS 5×3, and MBS simulated (R 1.05 ± 0.02 at 10/s by next-active or
// rotation, within 8 %).
func TestStudyPoliciesAreTheirModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy      string
		sets        []string
		exact, near float64 // R in ms at 10/s
	}{
		{"spr", nil, 452.96, 0},
		{"cls", nil, 827.70, 0},
		{"cls", []string{"target.bundled.dispatch=least-loaded"}, 505.29, 0},
		{"cls", []string{"target.bundled.servers=3"}, 0, 0}, // a server a token: H2/M/15
		{"mbs", []string{"target.bundled.tick=1s"}, 0, 1046},
	} {
		sets := append([]string{"target.bundled.policy=" + c.policy, "target.bundled.max_workers=5"}, c.sets...)
		states, notes, err := SteadyStates(context.Background(), load(t, "h2", sets...), qpn.Options{Departures: 40_000, Replications: 4})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(states, func(s Steady) bool { return s.Scope == "step-10" })
		if i < 0 {
			t.Errorf("%s %v: no state at 10/s, notes %q", c.policy, c.sets, notes)
			continue
		}
		if e, ok := states[i].value(Exact, response); c.exact > 0 && (!ok || math.Abs(e.Mean-c.exact) > 0.02) {
			t.Errorf("%s %v: exact R %.2f ms, want %.2f", c.policy, c.sets, e.Mean, c.exact)
		}
		if n, ok := states[i].value(Net, response); !ok || c.near > 0 && math.Abs(n.Mean/c.near-1) > 0.12 {
			t.Errorf("%s %v: net R %.1f ms, want about %.0f", c.policy, c.sets, n.Mean, c.near)
		}
	}
}

// Fixed service has no formula here, but a net.
func TestFixedServiceIsSimulated(t *testing.T) {
	t.Parallel()
	p := load(t, "h2", "target.bundled.service=333.333333ms")
	states, _, err := SteadyStates(context.Background(), p, qpn.Options{Departures: 20_000, Replications: 4})
	if err != nil || len(states) == 0 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	for _, s := range states {
		if _, ok := s.value(Exact, response); ok {
			t.Errorf("%s: a formula for H2/D/5", s.Scope)
		}
		if v, ok := s.value(Net, response); !ok || v.Mean < 333 {
			t.Errorf("%s: net R %+v, want at least the service time", s.Scope, v)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	if got := scopes(load(t, "bursty-ramp")); !slices.Equal(got, []string{"run", "warmup", "ramp", "spike", "cooldown"}) {
		t.Errorf("bursty-ramp: %q", got)
	}
	if got := scopes(load(t, "constant")); !slices.Equal(got, []string{"run"}) {
		t.Errorf("constant: %q", got)
	}
}

// Cycles of a phase join by their counts, not by their number.
func TestPhasesJoinByCount(t *testing.T) {
	t.Parallel()
	phase := func(seconds float64, ok uint64, mean int64, cold uint64) analysis.Phase {
		ph := analysis.Phase{Name: "ramp", LengthNS: int64(seconds * 1e9)}
		ph.Counts.OK, ph.Cold.Truth = ok, &cold
		if ok > 0 {
			ph.Response = analysis.Distribution{N: ok, MeanNS: &mean, P50NS: &mean}
		}
		return ph
	}
	s := &analysis.Summary{Phases: []analysis.Phase{phase(1, 10, 100e6, 1), phase(3, 30, 200e6, 2), phase(1, 0, 0, 0)}}
	got := phasesOf(s, "ramp")
	if *got.throughput != 8 || *got.response != 175 || *got.cold != 3 || *got.population() != 1.4 {
		t.Errorf("X %v, R %v, cold %v, N %v; want 8, 175, 3, 1.4", *got.throughput, *got.response, *got.cold, *got.population())
	}
	if got.times.P50NS != nil {
		t.Errorf("a median of joined cycles: %d", *got.times.P50NS)
	}
}

func TestRelativeError(t *testing.T) {
	t.Parallel()
	// Both sides with spread: 11/10 − 1, and the half width of the delta method,
	// computed apart: means 11 ± 1/√3·… of {10,11,12} and 10 of {9,10,11}.
	p := predictTrials([]float64{10, 11, 12}, []float64{9, 10, 11})
	se := 1 / math.Sqrt(3.0)
	variance := (se/10)*(se/10) + (1.1*se/10)*(1.1*se/10)
	df := variance * variance / (math.Pow(se/10, 4)/2 + math.Pow(1.1*se/10, 4)/2)
	half := studentT(df) * math.Sqrt(variance)
	if math.Abs(*p.Error-0.1) > 1e-12 || math.Abs(*p.ErrorHigh-(0.1+half)) > 1e-12 || math.Abs(*p.ErrorLow-(0.1-half)) > 1e-12 {
		t.Errorf("error %v (%v to %v), want 0.1 ± %v", *p.Error, *p.ErrorLow, *p.ErrorHigh, half)
	}
	if math.Abs(*p.Rank-1.0/3) > 1e-12 {
		t.Errorf("rank %v, want one of three", *p.Rank)
	}
	if one := predictTrials([]float64{10, 12}, []float64{10}); one.ErrorLow != nil || math.Abs(*one.Error-0.1) > 1e-12 {
		t.Errorf("one measured trial: %+v, want an error without interval", one)
	}
	if zero := predictTrials([]float64{1, 2}, []float64{0, 0}); zero.Error != nil {
		t.Errorf("an error relative to 0: %v", *zero.Error)
	}
	// A formula has no spread of its own: the interval is that of the measured.
	exact := predictValue(Exact, Value{Mean: 10}, []float64{9, 10, 11})
	if want := studentT(2) * se / 10; math.Abs(*exact.ErrorHigh-want) > 1e-12 {
		t.Errorf("exact: half width %v, want %v", *exact.ErrorHigh, want)
	}
}
