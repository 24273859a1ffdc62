package arrival

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEvenInstants(t *testing.T) {
	t.Parallel()
	sec := time.Second
	tests := []struct {
		name   string
		phases []Phase
		want   []Arrival
	}{
		{"first at 0, none at the end",
			[]Phase{{Length: sec, Curve: Constant(2)}},
			[]Arrival{{0, 0, 0, 0}, {1, sec / 2, 0, 0}}},
		{"first at the first rate",
			[]Phase{{Length: sec, Curve: Idle}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, sec, 1, 0}}},
		{"an edge belongs to the later phase",
			[]Phase{{Length: sec, Curve: Constant(1)}, {Length: sec, Curve: Constant(2)}},
			[]Arrival{{0, 0, 0, 0}, {1, sec, 1, 0}, {2, sec * 3 / 2, 1, 0}}},
		{"an edge before silence belongs to the phase after it",
			[]Phase{{Length: sec, Curve: Constant(1)}, {Length: sec, Curve: Idle}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, 0, 0, 0}, {1, 2 * sec, 2, 0}}},
		{"a gap crosses an edge at the new rate",
			[]Phase{{Length: sec, Curve: Constant(0.5)}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, 0, 0, 0}, {1, sec * 3 / 2, 1, 0}}},
		{"below one a second",
			[]Phase{{Length: 30 * sec, Curve: Constant(0.1)}},
			[]Arrival{{0, 0, 0, 0}, {1, 10 * sec, 0, 0}, {2, 20 * sec, 0, 0}}},
		{"silence", []Phase{{Length: sec, Curve: Idle}}, nil},
		{"ramp from 0 begins at 0",
			[]Phase{{Length: 2 * sec, Curve: Linear{0, 2, 2 * sec}}},
			[]Arrival{{0, 0, 0, 0}, {1, 1414213562, 0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mustSchedule(t, tt.phases, Even{}, 1)
			if diff := cmp.Diff(tt.want, arrivals(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArrivalsAreOrderedAndInsideTheirPhase(t *testing.T) {
	t.Parallel()
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range []Law{Even{}, Poisson{}, h2} {
		for seed := range uint64(20) {
			s := mustSchedule(t, burstyRamp(), law, seed)
			var last Arrival
			for i, a := range arrivals(s) {
				p := s.Phases()[a.Phase]
				if a.Index != uint64(i) || a.At < last.At || a.Phase < last.Phase || a.At < p.Start || a.At >= p.Start+p.Length {
					t.Fatalf("%v seed %d: %+v after %+v, phase from %v for %v", law, seed, a, last, p.Start, p.Length)
				}
				last = a
			}
		}
	}
}

// An inhomogeneous Poisson count has the integral as mean and as variance.
func TestPoissonCountsFollowTheIntegral(t *testing.T) {
	t.Parallel()
	const seeds = 400
	sums := make([]float64, 20)
	squares := make([]float64, 20)
	var s *Schedule
	for seed := range uint64(seeds) {
		s = mustSchedule(t, burstyRamp(), Poisson{}, seed)
		d, err := s.Digest(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range d.Counts {
			sums[i] += float64(n)
			squares[i] += float64(n) * float64(n)
		}
	}
	for i := range sums {
		want := s.ExpectedIn(i)
		mean := sums[i] / seeds
		variance := squares[i]/seeds - mean*mean
		// 4.5 standard errors of the mean; the variance of a variance is about 2σ⁴/n.
		if math.Abs(mean-want) > 4.5*math.Sqrt(want/seeds) || math.Abs(variance-want) > 4.5*want*math.Sqrt(2.0/seeds)+0.1 {
			t.Errorf("phase %d: mean %v, variance %v, want both %v", i, mean, variance, want)
		}
	}
}

func TestStreamsAreReproducibleAndIndependentOfReaders(t *testing.T) {
	t.Parallel()
	s := mustSchedule(t, burstyRamp(), Poisson{}, 7)
	all := arrivals(s)
	if diff := cmp.Diff(all, arrivals(s)); diff != "" {
		t.Error("a second stream differs:", diff)
	}
	other := arrivals(mustSchedule(t, burstyRamp(), Poisson{}, 8))
	if all[0].At == 0 || all[0].At == other[0].At {
		t.Errorf("random schedules are aligned at their start: %v, %v", all[0].At, other[0].At)
	}
	st := s.Stream()
	for range all {
		st.Next()
	}
	for range 3 {
		if a, ok := st.Next(); ok {
			t.Fatalf("arrival %+v after the end", a)
		}
	}
}

// Not parallel: allocations are counted for the whole process.
func TestNextDoesNotAllocate(t *testing.T) {
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range []Law{Even{}, Poisson{}, h2} {
		st := mustSchedule(t, repeat(1000, Phase{Length: time.Second, Curve: Constant(50)}), law, 1).Stream()
		if n := testing.AllocsPerRun(10_000, func() { st.Next() }); n != 0 {
			t.Errorf("%v: %v allocations", law, n)
		}
	}
	h := NewHasher(2)
	if n := testing.AllocsPerRun(10_000, func() { h.Add(Arrival{}) }); n != 0 {
		t.Errorf("hasher: %v allocations", n)
	}
}

func BenchmarkStream(b *testing.B) {
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		b.Fatal(err)
	}
	const long = 10_000 * time.Hour
	for _, bench := range []struct {
		name  string
		curve Curve
		law   Law
	}{
		{"even", Constant(1000), Even{}},
		{"even-ramp", Linear{0, 1000, long}, Even{}},
		{"poisson", Constant(1000), Poisson{}},
		{"h2", Constant(1000), h2},
	} {
		b.Run(bench.name, func(b *testing.B) {
			st := mustSchedule(b, []Phase{{Length: long, Curve: bench.curve}}, bench.law, 1).Stream()
			b.ReportAllocs()
			for b.Loop() {
				st.Next()
			}
		})
	}
}
