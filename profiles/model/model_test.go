package model_test

import (
	"math"
	"testing"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/net"
	"edgebench/profiles/model"
)

// Every embedded model, in every variant, compiles, runs, and agrees with its
// exact value where it has one.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	specs, err := model.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		for _, v := range append([]model.Variant{{}}, s.Variants...) {
			t.Run(s.Name+":"+v.Name, func(t *testing.T) {
				t.Parallel()
				m, err := model.Load(s.Name+":"+v.Name, nil)
				if err != nil {
					t.Fatal(err)
				}
				if m.Capacity == 0 || m.Description == "" {
					t.Errorf("capacity %v, description %q", m.Capacity, m.Description)
				}
				lambda := min(m.Lambda, 0.6*m.Capacity)
				points, err := qpn.Sweep(t.Context(), m, []float64{lambda}, qpn.Options{Departures: 20_000, Level: 0.999}, nil)
				if err != nil {
					t.Fatal(err)
				}
				pt := points[0]
				if pt.Measures == nil || !pt.Measures.X.Covers(lambda) {
					t.Fatalf("%s, measures %+v at lambda %v", pt.Verdict, pt.Measures, lambda)
				}
				if pt.Exact != nil && !pt.Measures.R.Covers(pt.Exact.R) {
					t.Errorf("R = %v, exact %v", pt.Measures.R, pt.Exact.R)
				}
			})
		}
	}
}

// MBS against a simulation made independently (99 % intervals of the reference).
func TestMBSReference(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 20 models")
	}
	t.Parallel()
	rr := func(threshold string) []model.Set { return sets("threshold", threshold) }
	delayed := func(d string) []model.Set { return sets("n", "15", "delay", d) }
	for _, c := range []struct {
		name   string
		sets   []model.Set
		lambda float64
		r      float64
	}{
		{"rr 0.7", rr("0.7"), 5, 0.948}, {"rr 0.7", rr("0.7"), 10, 1.046}, {"rr 0.7", rr("0.7"), 12.5, 1.638},
		{"rr 0.8", rr("0.8"), 5, 1.064}, {"rr 0.8", rr("0.8"), 10, 1.113}, {"rr 0.8", rr("0.8"), 12.5, 1.674},
		{"rr 0.9", rr("0.9"), 5, 1.226}, {"rr 0.9", rr("0.9"), 10, 1.263}, {"rr 0.9", rr("0.9"), 12.5, 1.765},
		{"random", sets("routing", "random"), 5, 1.298}, {"random", sets("routing", "random"), 10, 1.700}, {"random", sets("routing", "random"), 12.5, 2.776},
		{"probabilistic", sets("routing", "probabilistic"), 5, 1.321}, {"probabilistic", sets("routing", "probabilistic"), 10, 1.838},
		{"probabilistic", sets("routing", "probabilistic"), 12.5, 3.615},
		{"delay 0", delayed("0"), 10, 0.860}, {"delay 0.5", delayed("0.5"), 10, 0.953}, {"delay 1", delayed("1"), 10, 1.000},
		{"delay 2", delayed("2"), 10, 1.123}, {"delay 5", delayed("5"), 10, 1.443},
	} {
		m, err := model.Load("mbs", c.sets)
		if err != nil {
			t.Fatal(err)
		}
		points, err := qpn.Sweep(t.Context(), m, []float64{c.lambda}, qpn.Options{Departures: 50_000, Level: 0.99}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-14s lambda %-5v R %v, reference %v", c.name, c.lambda, points[0].Measures.R, c.r)
		if got := points[0].Measures.R; math.Abs(got.Mean-c.r) > got.Half+0.03*c.r {
			t.Errorf("%s at %v: R = %v, reference %v", c.name, c.lambda, got, c.r)
		}
	}
}

// The description in YAML is the net that Go describes: the same seeds give the
// same run.
func TestSameAsGo(t *testing.T) {
	t.Parallel()
	m, err := model.Load("cls:5x3", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.Net(12)
	if err != nil {
		t.Fatal(err)
	}
	p, err := net.Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(p.Places()); got != 11 {
		t.Errorf("%d places, want 11", got)
	}
	s := p.New(1)
	if err := s.Run(t.Context(), net.Plan{Departures: 10_000}); err != nil {
		t.Fatal(err)
	}
	o := s.Observe()
	if front := o.Between(0, o.Cuts()-1).Probes[0]; !(front > 0) {
		t.Errorf("wait in front %v", front)
	}
}
