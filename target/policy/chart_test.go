package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestStandardChartByHand(t *testing.T) {
	t.Parallel()
	c := &standardChart{cusum: cusum{k: 0.5, h: 8, reset: true}, beta: 0.3, floor: 0.5}
	for i, step := range []struct {
		x, before, sum, variance float64
		fired                    bool
	}{
		{1, 1, 0, 0, false},
		{2, 1, 1.5, 0, false},     // z = 1/0.5, S above 1 and rising: sigma stays at its floor
		{6, 1.2, 10.6, 0, true},   // 1.5 + 9.6 − 0.5
		{2, 2, 0, 0, false},       // restarted
		{0, 2, 0, 1.2, false},     // a fall moves the variance: 0.3 · 4
		{3, 2, 0.41, 1.14, false}, // z = 1/√1.2, S below 1: the variance follows
	} {
		sum, fired := c.observe(step.x, step.before)
		if math.Abs(sum-step.sum) > 0.005 || fired != step.fired || math.Abs(c.variance-step.variance) > 1e-9 {
			t.Errorf("step %d: sum %.3f fired %v variance %.3f, want %.3f %v %.3f", i, sum, fired, c.variance, step.sum, step.fired, step.variance)
		}
	}
}

// One setting serves every scale: multiply the traffic (and the floor of sigma)
// and the standardised chart alarms in the same windows; the fixed one does not.
func TestOnlyTheStandardisedChartIsFreeOfScale(t *testing.T) {
	t.Parallel()
	alarms := func(name string, scale float64, params map[string]float64) (at []int) {
		p, err := New(name, params, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range windows(p, ramp(scale)...) {
			if d.Alarm != "" {
				at = append(at, i)
			}
		}
		return at
	}
	small := alarms("ewma-adaptive", 100, map[string]float64{"sigma": 50})
	large := alarms("ewma-adaptive", 10_000, map[string]float64{"sigma": 5000})
	if len(small) == 0 || !equal(small, large) {
		t.Errorf("standardised: alarms at %v, at 100 times the traffic %v", small, large)
	}
	if a, b := alarms("ewma", 1, nil), alarms("ewma", 100, nil); equal(a, b) {
		t.Errorf("fixed: alarms at %v at both scales", a)
	}
}

func TestEnsembleNamesTheChartThatFired(t *testing.T) {
	t.Parallel()
	p, err := New("ensemble", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range windows(p, append(ramp(1), ramp(1)...)...) {
		seen[d.Alarm] = true
	}
	if !seen["fixed+standardised"] || !seen["standardised"] {
		t.Errorf("alarms %v, want both together and the standardised one alone", seen)
	}
}

// The nominal run length takes sigma as known. With the running estimate plugged
// in it is a tenth of that, and Describe states both.
func TestPlugInRunLengthIsFarBelowNominal(t *testing.T) {
	t.Parallel()
	arrivals := distuv.Poisson{Lambda: 60, Src: rand.NewPCG(1, 2)} // 30/s in 2 s windows
	p, _ := New("ewma-adaptive", nil, 0)
	e := p.(*ewma)
	e.baseline = 30
	const ticks = 400_000
	alarms := 0
	for range ticks {
		if e.Decide(Observation{Window: 2e9, Arrivals: int(arrivals.Rand()), ServiceTime: 5e8}).Alarm != "" {
			alarms++
		}
	}
	got, nominal := float64(ticks)/float64(alarms), RunLength(0, 0.5, 8)
	t.Logf("in-control run length %.0f ticks simulated, %.0f nominal", got, nominal)
	if got > nominal/3 || got < 100 {
		t.Errorf("run length %.0f ticks, nominal %.0f: want far below", got, nominal)
	}
	// What Describe states, from rounded normal counts and other draws, is the same
	// within three standard errors of the two.
	stated := e.charts[0].(*standardChart).plugInRun(30, 0.2, 2e9)
	if math.Abs(stated-got) > 0.35*got {
		t.Errorf("states %.0f ticks, simulated here %.0f", stated, got)
	}
}

// ramp is the study's cycle in 2 s windows: 2/s, then up to 30/s, then 2/s.
func ramp(scale float64) []float64 {
	var rates []float64
	for range 17 {
		rates = append(rates, 2*scale)
	}
	for i := range 15 {
		rates = append(rates, (2+28*(float64(i)+0.5)/15)*scale)
	}
	return append(rates, 30*scale, 30*scale, 2*scale, 2*scale)
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
