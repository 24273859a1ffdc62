package policy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// observations is a long and partly absurd history.
func observations(n int) []Observation {
	rng := rand.New(rand.NewPCG(7, 7))
	all := make([]Observation, n)
	var now time.Duration
	for i := range all {
		o := Observation{Window: time.Duration(1 + rng.Int64N(int64(4*time.Second))), ServiceTime: 500 * time.Millisecond}
		switch i % 9 {
		case 0: // silence
		case 1:
			o.Arrivals, o.Window, o.ServiceTime = math.MaxInt32, 1, time.Hour
		case 2:
			o.Window = 0 // outside the contract, and still nothing may break
		case 3:
			o.ServiceTime = 1
		default:
			o.Arrivals, o.Backlog, o.Waited = rng.IntN(200), rng.IntN(3), rng.IntN(20)
		}
		o.Concurrency = rng.ExpFloat64() * 20
		switch i % 5 {
		case 0:
			o.Silence = o.Window * 3
		case 1:
			o.Idles = []time.Duration{o.Window, time.Duration(rng.Int64N(int64(10 * time.Hour)))}
		}
		o.Utilization = rng.Float64()
		o.Busy, o.Idle, o.Starting = rng.IntN(30), rng.IntN(30), rng.IntN(5)
		now += o.Window
		o.Now = now
		all[i] = o
	}
	return all
}

func decisions(t *testing.T, name string, history []Observation) []Decision {
	t.Helper()
	p, err := New(name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []Decision
	if i, ok := p.(Initial); ok {
		all = append(all, i.Initial())
	}
	for _, o := range history {
		all = append(all, p.Decide(o))
	}
	return all
}

// TestConformance walks the registry: what holds for every policy.
func TestConformance(t *testing.T) {
	t.Parallel()
	history := observations(2000)
	for _, spec := range Specs() {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			if spec.Help == "" || spec.Cost == "" || strings.Contains(spec.Help, "\n") {
				t.Errorf("help %q, cost %q: one line each", spec.Help, spec.Cost)
			}
			for _, p := range spec.Params {
				if err := p.check(p.Default); err != nil || p.Help == "" {
					t.Errorf("parameter %+v: default or help: %v", p, err)
				}
			}
			history := history
			if spec.Cost != "O(1)" {
				history = history[:50] // each a fit
			}
			first := decisions(t, spec.Name, history)
			if diff := cmp.Diff(first, decisions(t, spec.Name, history)); diff != "" {
				t.Errorf("a replay decides otherwise (-first +second):\n%s", diff)
			}
			for i, d := range first {
				if d.IdleTimeout < 0 {
					t.Fatalf("decision %d: idle timeout %v", i, d.IdleTimeout)
				}
				if d.Target < 0 || d.Target > maxTarget || d.Floor < 0 || d.Floor > d.Target {
					t.Fatalf("decision %d: %+v: want 0 ≤ floor ≤ target ≤ %d", i, d, maxTarget)
				}
				if sum := d.Rate + d.Baseline + d.Sum; math.IsNaN(sum) || math.IsInf(sum, 0) {
					t.Fatalf("decision %d: not finite: %+v", i, d)
				}
			}
			p, _ := New(spec.Name, nil, 3)
			if d, ok := p.(Describer); !ok || len(d.Describe(2*time.Second)) == 0 {
				t.Error("states no facts for start-up")
			}
		})
	}
}

// TestAllocations is not parallel: AllocsPerRun counts the whole process.
func TestAllocations(t *testing.T) {
	history := observations(64)
	for _, spec := range Specs() {
		if spec.Cost != "O(1)" {
			continue
		}
		p, err := New(spec.Name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		if n := testing.AllocsPerRun(1000, func() { p.Decide(history[i%len(history)]); i++ }); n != 0 {
			t.Errorf("%s: %v allocations a decision", spec.Name, n)
		}
	}
}

func TestNewReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := New("ewma", map[string]float64{"alfa": 1, "alpha": 7, "h": math.NaN(), "reset": 0.5}, -1)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`workers -1: out of range`, `unknown parameter "alfa" (have k, h, alpha, reset, headroom)`,
		"alpha = 7: out of range 0.001..1", "h = NaN: out of range", "reset = 0.5: not a whole number",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if _, err := New("oracle", nil, 0); err == nil || !strings.Contains(err.Error(), `policy "oracle": unknown (have static, reactive, ewma`) {
		t.Errorf("unknown name: %v", err)
	}
	if _, err := New("static", map[string]float64{"n": 1}, 0); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("parameter of a policy without any: %v", err)
	}
}

func BenchmarkDecide(b *testing.B) {
	history := observations(1024)
	for _, spec := range Specs() {
		b.Run(spec.Name, func(b *testing.B) {
			p, _ := New(spec.Name, nil, 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.Decide(history[i%len(history)])
			}
		})
	}
}

// What a policy charts, a figure can draw: the sum alarms above the parameter
// that says so, and a policy without one has no sum.
func TestSumAlarmsAboveItsParameter(t *testing.T) {
	t.Parallel()
	for _, s := range Specs() {
		var limits []float64
		for _, p := range s.Params {
			if p.SumUnit != "" {
				limits = append(limits, p.Of(nil))
			}
		}
		alarms := 0
		for i, d := range decisions(t, s.Name, observations(60)) {
			switch {
			case len(limits) == 0 && d.Sum != 0:
				t.Errorf("%s: decision %d has sum %v and no limit", s.Name, i, d.Sum)
			case len(limits) == 1 && (d.Sum > limits[0]) != (d.Alarm != ""):
				t.Errorf("%s: decision %d has sum %v, limit %v, alarm %q", s.Name, i, d.Sum, limits[0], d.Alarm)
			}
			if d.Alarm != "" {
				alarms++
			}
		}
		if len(limits) > 0 && alarms == 0 {
			t.Errorf("%s: never an alarm", s.Name)
		}
	}
	if h := Lookup("ewma").Params[1]; h.Of(map[string]float64{"h": 3}) != 3 {
		t.Errorf("%s as configured: %v, want 3", h.Name, h.Of(map[string]float64{"h": 3}))
	}
}
