package arrival

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// burstyRamp is the four-cycle workload of the bundled profile, built by hand.
func burstyRamp() []Phase {
	var phases []Phase
	for cycle := 1; cycle <= 4; cycle++ {
		warmup := 35 * time.Second
		if cycle == 1 {
			warmup = 8 * time.Second
		}
		ramp := 30 * time.Second
		phases = append(phases,
			Phase{Name: "warmup", Cycle: cycle, Length: warmup, Curve: Constant(2)},
			Phase{Name: "ramp", Cycle: cycle, Length: ramp, Curve: Linear{2, 30, ramp}},
			Phase{Name: "spike", Cycle: cycle, Length: 5 * time.Second, Curve: Constant(30)},
			Phase{Name: "cooldown", Cycle: cycle, Length: 6 * time.Second, Curve: Constant(2)},
			Phase{Name: "drain", Cycle: cycle, Length: 8 * time.Second, Curve: Idle},
		)
	}
	return phases
}

func mustSchedule(t testing.TB, phases []Phase, law Law, seed uint64) *Schedule {
	t.Helper()
	s, err := NewSchedule(phases, law, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func arrivals(s *Schedule) []Arrival {
	var all []Arrival
	st := s.Stream()
	for a, ok := st.Next(); ok; a, ok = st.Next() {
		all = append(all, a)
	}
	return all
}

func TestBurstyRampCounts(t *testing.T) {
	t.Parallel()
	s := mustSchedule(t, burstyRamp(), Even{}, 1)
	d, err := s.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []uint64{16, 480, 150, 12, 0}
	later := []uint64{70, 480, 150, 12, 0}
	want = slices.Concat(want, later, later, later)
	if diff := cmp.Diff(want, d.Counts); diff != "" {
		t.Error(diff)
	}
	if d.Planned != 2794 || s.Expected() != 2794 || s.Duration() != 309*time.Second {
		t.Errorf("planned %d, expected %v, duration %v", d.Planned, s.Expected(), s.Duration())
	}
	if p := s.Phases()[5]; p.Start != 57*time.Second || p.Kind != "constant" || s.ExpectedIn(5) != 70 {
		t.Errorf("phase 5: %+v, expected %v", p, s.ExpectedIn(5))
	}
}

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
			[]Arrival{{0, 0, 0}, {1, sec / 2, 0}}},
		{"first at the first rate",
			[]Phase{{Length: sec, Curve: Idle}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, sec, 1}}},
		{"an edge belongs to the later phase",
			[]Phase{{Length: sec, Curve: Constant(1)}, {Length: sec, Curve: Constant(2)}},
			[]Arrival{{0, 0, 0}, {1, sec, 1}, {2, sec * 3 / 2, 1}}},
		{"an edge before silence belongs to the phase after it",
			[]Phase{{Length: sec, Curve: Constant(1)}, {Length: sec, Curve: Idle}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, 0, 0}, {1, 2 * sec, 2}}},
		{"a gap crosses an edge at the new rate",
			[]Phase{{Length: sec, Curve: Constant(0.5)}, {Length: sec, Curve: Constant(1)}},
			[]Arrival{{0, 0, 0}, {1, sec * 3 / 2, 1}}},
		{"below one a second",
			[]Phase{{Length: 30 * sec, Curve: Constant(0.1)}},
			[]Arrival{{0, 0, 0}, {1, 10 * sec, 0}, {2, 20 * sec, 0}}},
		{"silence", []Phase{{Length: sec, Curve: Idle}}, nil},
		{"ramp from 0 begins at 0",
			[]Phase{{Length: 2 * sec, Curve: Linear{0, 2, 2 * sec}}},
			[]Arrival{{0, 0, 0}, {1, 1414213562, 0}}},
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

func TestWholeIntegralsGiveExactCounts(t *testing.T) {
	t.Parallel()
	third := Constant(1.0 / 3)
	tests := []struct {
		name   string
		phases []Phase
		want   uint64
	}{
		{"0.1/s for 30 s", []Phase{{Length: 30 * time.Second, Curve: Constant(0.1)}}, 3},
		{"a third of a second", []Phase{{Length: 333333333, Curve: Constant(450)}}, 150},
		{"0.1/s for 1 s, thirty times", repeat(30, Phase{Length: time.Second, Curve: Constant(0.1)}), 3},
		{"a third a second, 9,999 times 1 s", repeat(9999, Phase{Length: time.Second, Curve: third}), 3333},
		{"10,000 phases of 0.7/s for 10 s", repeat(10_000, Phase{Length: 10 * time.Second, Curve: Constant(0.7)}), 70_000},
		{"500 h at 50/s, counted by the integral", nil, 90_000_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.phases == nil {
				s := mustSchedule(t, []Phase{{Length: 500 * time.Hour, Curve: Constant(50)}}, Even{}, 1)
				if s.Expected() != float64(tt.want) {
					t.Errorf("expected %v, want %d", s.Expected(), tt.want)
				}
				return
			}
			s := mustSchedule(t, tt.phases, Even{}, 1)
			d, err := s.Digest(context.Background())
			if err != nil || d.Planned != tt.want || s.Expected() != float64(tt.want) {
				t.Errorf("planned %d, expected %v, want %d (%v)", d.Planned, s.Expected(), tt.want, err)
			}
		})
	}
}

func repeat(n int, p Phase) []Phase {
	return slices.Repeat([]Phase{p}, n)
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

// Pinned: a change here changes every published schedule hash. They hold on every
// architecture; see the package comment.
func TestGoldenHashes(t *testing.T) {
	t.Parallel()
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	long := []Phase{{Length: 500 * time.Hour, Curve: Constant(50)}}
	tests := []struct {
		name   string
		phases []Phase
		law    Law
		seed   uint64
		want   string
	}{
		{"even", burstyRamp(), Even{}, 1, "689ba184cbfe7c5b0b557d6037014a82a41f529928f26bf9d8fe6ddcabdf343a"},
		{"even ignores the seed", burstyRamp(), Even{}, 2, "689ba184cbfe7c5b0b557d6037014a82a41f529928f26bf9d8fe6ddcabdf343a"},
		{"poisson", burstyRamp(), Poisson{}, 1, "f35d02e8823f45c2b10cea43fa4b2594fd20d272375a692f8d0a980249dff646"},
		{"h2", burstyRamp(), h2, 1, "d21653ffce232da0b12b9045f5e2bb3d2cbd887099323336bd886e0635369598"},
		{"h2, another seed", burstyRamp(), h2, 7, "be499eaee64bdaee1588b40c396474d315d215da7f261f66fd29e799ffbdede8"},
		{"a million of h2", []Phase{{Length: 1000 * time.Second, Curve: Constant(1000)}}, h2, 1, "5bb4836ea771da8ff7f36e23811aacb02e63c161863dcea8850854b7b14b60b5"},
		{"parameters", long, h2, 1, "params:2e43ea15309a06a2eea41507e8dadaaee953186e0b24a9c01f84cb9e2c5c3c12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mustSchedule(t, tt.phases, tt.law, tt.seed)
			if got := s.Hash(); got != tt.want {
				t.Errorf("hash %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParamsHashCoversWhatMovesArrivals(t *testing.T) {
	t.Parallel()
	base := func() []Phase { return []Phase{{Name: "a", Length: 500 * time.Hour, Curve: Constant(50)}} }
	hash := func(law Law, seed uint64, change func(*Phase)) string {
		p := base()
		change(&p[0])
		d, err := mustSchedule(t, p, law, seed).Digest(context.Background())
		if err != nil || d.Walked() || d.Counts != nil {
			t.Fatalf("digest %+v, %v", d, err)
		}
		return d.Hash
	}
	same := func(*Phase) {}
	want := hash(Poisson{}, 1, same)
	if got := hash(Poisson{}, 1, func(p *Phase) { p.Name = "b" }); got != want {
		t.Error("the name of a phase changed the hash")
	}
	for name, got := range map[string]string{
		"seed":   hash(Poisson{}, 2, same),
		"law":    hash(Even{}, 1, same),
		"length": hash(Poisson{}, 1, func(p *Phase) { p.Length++ }),
		"rate":   hash(Poisson{}, 1, func(p *Phase) { p.Curve = Constant(51) }),
		"curve":  hash(Poisson{}, 1, func(p *Phase) { p.Curve = Linear{50, 50, p.Length} }),
	} {
		if got == want {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

func TestDigestStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := mustSchedule(t, burstyRamp(), Even{}, 1)
	if _, err := s.Digest(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestNewScheduleReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := NewSchedule([]Phase{
		{Name: "zero", Curve: Constant(1)},
		{Name: "bare", Length: 1},
		{Name: "nan", Length: 1, Curve: Constant(math.NaN())},
		{Name: "inf", Length: 1, Curve: Constant(math.Inf(1))},
		{Name: "down", Length: time.Second, Curve: Linear{1, -1, time.Second}},
		{Name: "long", Length: MaxLength + 1, Curve: Idle},
		{Name: "many", Length: 1000 * time.Hour, Curve: Constant(1e11)},
	}, nil, 1)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"no law", `0 "zero": length 0s`, `1 "bare": no curve`, `2 "nan": rate NaN`,
		`3 "inf": rate +Inf`, `4 "down": rate -1`, `5 "long": the schedule is longer`, "more than 2^53"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	if _, err := NewSchedule(nil, Even{}, 1); err == nil {
		t.Error("no phases were accepted")
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
	h := NewHasher()
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
