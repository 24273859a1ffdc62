package arrival

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func spacing(t testing.TB, name string) Spacing {
	t.Helper()
	s, err := SpacingOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func series(name string, counts ...uint32) Series {
	s := Series{Function: Function{Name: name}}
	for i, n := range counts {
		if n > 0 {
			s.Columns = append(s.Columns, Column{uint32(i), n})
		}
	}
	return s
}

func recorded(t testing.TB, src Source, seed uint64, phases ...Phase) *Schedule {
	t.Helper()
	s, err := NewRecorded(phases, src, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t testing.TB, c Counts) *Counts {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestAlignedEquidistantColumns(t *testing.T) {
	t.Parallel()
	c := valid(t, Counts{Series: []Series{series("f", 3, 0, 2)}, Columns: 3, Width: time.Minute, Speed: 1, Scale: 1,
		Spacing: spacing(t, "equidistant"), Aligned: true})
	var got []time.Duration
	for _, a := range arrivals(recorded(t, c, 1)) {
		got = append(got, a.At/time.Second)
	}
	if diff := cmp.Diff([]time.Duration{0, 20, 40, 120, 150}, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever the spacing, a column holds its count, in order, and is not bound to
// the minute: over functions the first arrivals are spread evenly when shifted.
func TestColumnsKeepTheirCountsAndAreNotAligned(t *testing.T) {
	t.Parallel()
	for _, sp := range Spacings() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			var all []Series
			for i := range 2000 {
				all = append(all, series(fmt.Sprint("f", i), 3, 0, 2))
			}
			c := valid(t, Counts{Series: all, Columns: 3, Width: time.Minute, Speed: 60, Scale: 1, Spacing: sp})
			s := recorded(t, c, 5)
			perColumn := make([]int, 3)
			var places []float64
			var last Arrival
			for i, a := range arrivals(s) {
				if a.At < last.At || a.Index != uint64(i) {
					t.Fatalf("%+v after %+v", a, last)
				}
				last = a
				perColumn[a.At/time.Second]++
				if a.At < time.Second {
					places = append(places, a.At.Seconds())
				}
			}
			if diff := cmp.Diff([]int{6000, 0, 4000}, perColumn); diff != "" {
				t.Error(diff)
			}
			if d := distance(places, func(x float64) float64 { return x }); d > 1.95/math.Sqrt(2000) {
				t.Errorf("KS distance from uniform %v", d)
			}
			if s.Expected() != 10_000 || s.Deviation() != 0 || s.Duration() != 3*time.Second {
				t.Errorf("expected %v ± %v in %v", s.Expected(), s.Deviation(), s.Duration())
			}
		})
	}
}

// Shifted exponential spacing is n independent uniform instants: gaps between
// neighbours of one big column are exponential.
func TestExponentialSpacing(t *testing.T) {
	t.Parallel()
	const n = 100_000
	c := valid(t, Counts{Series: []Series{series("f", n)}, Columns: 1, Width: time.Hour, Speed: 1, Scale: 1, Spacing: spacing(t, "exponential")})
	all := arrivals(recorded(t, c, 3))
	var gaps []float64
	for i := 1; i < n; i++ {
		gaps = append(gaps, (all[i].At-all[i-1].At).Seconds()/3600*n)
	}
	if d := distance(gaps, func(x float64) float64 { return -math.Expm1(-x) }); d > 1.95/math.Sqrt(n) {
		t.Errorf("KS distance %v", d)
	}
}

func TestAFunctionKeepsItsArrivalsWhateverIsBesideIt(t *testing.T) {
	t.Parallel()
	a, b, other := series("a", 30, 4, 0, 9), series("b", 0, 7, 7, 7), series("c", 1, 2, 3, 4)
	instants := func(c Counts, function int32, name string) []time.Duration {
		c.Columns, c.Width, c.Speed, c.Scale = 4, time.Minute, 1, 0.7
		c.Spacing = spacing(t, name)
		var at []time.Duration
		for _, x := range arrivals(recorded(t, valid(t, c), 9)) {
			if x.Function == function {
				at = append(at, x.At)
			}
		}
		return at
	}
	together := instants(Counts{Series: []Series{a, b, other}}, 1, "exponential")
	alone := instants(Counts{Series: []Series{b}}, 0, "exponential")
	if diff := cmp.Diff(alone, together); diff != "" || len(alone) == 0 {
		t.Error(diff)
	}
	if n := len(instants(Counts{Series: []Series{b}}, 0, "uniform")); n != len(alone) {
		t.Errorf("another spacing made %d arrivals of %d", n, len(alone))
	}
}

func TestScalingKeepsTheMean(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{0.001, 0.3, 0.999999, 1.25, 3} {
		c := valid(t, Counts{Series: []Series{series("a", slices.Repeat([]uint32{50}, 2000)...)}, Columns: 2000, Width: time.Second, Speed: 1, Scale: scale,
			Spacing: spacing(t, "equidistant")})
		s := recorded(t, c, 11)
		d, err := s.Digest(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if want := 100_000 * scale; math.Abs(s.Expected()-want) > 1e-6*want || math.Abs(float64(d.Planned)-want) > 4.5*s.Deviation() {
			t.Errorf("scale %v: %d arrivals, expected %v ± %v", scale, d.Planned, s.Expected(), s.Deviation())
		}
	}
}

func TestPhasesDivideATrace(t *testing.T) {
	t.Parallel()
	c := valid(t, Counts{Series: []Series{series("a", 60, 120, 60), series("b", 60)}, Columns: 3, Width: time.Minute, Speed: 1, Scale: 1, Spacing: spacing(t, "equidistant")})
	s := recorded(t, c, 1, Phase{Name: "warm", Length: 90 * time.Second}, Phase{Name: "measured", Length: time.Minute})
	d, err := s.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.ExpectedIn(0) != 180 || s.ExpectedIn(1) != 90 {
		t.Errorf("expected %v and %v", s.ExpectedIn(0), s.ExpectedIn(1))
	}
	if diff := cmp.Diff([]uint64{180, 90}, d.Counts); diff != "" {
		t.Error(diff)
	}
	p := s.Phases()
	if p[0].Kind != "trace" || p[0].Peak() != 2 || p[1].Curve.Rate(0) != 2 || p[1].Curve.Rate(time.Minute) != 1 {
		t.Errorf("%q, peak %v, rates %v to %v", p[0].Kind, p[0].Peak(), p[1].Curve.Rate(0), p[1].Curve.Rate(time.Minute))
	}
	if diff := cmp.Diff([]uint64{210, 60}, d.Calls); diff != "" {
		t.Error(diff)
	}
}

func TestCountsReportEveryFault(t *testing.T) {
	t.Parallel()
	err := (&Counts{Scale: math.NaN()}).Validate()
	for _, want := range []string{"no functions", "scale NaN", "speed 0", "no spacing", "0 columns of 0s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// Pinned as TestGoldenHashes are, and the same for any reader of the schedule.
func TestGoldenHashesOfSources(t *testing.T) {
	t.Parallel()
	var twenty []Function
	for i := range 20 {
		twenty = append(twenty, Function{Name: fmt.Sprint("f", i), Share: float64(i + 1)})
	}
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	base := mustSchedule(t, burstyRamp(), h2, 7)
	among, err := base.Among(twenty)
	if err != nil {
		t.Fatal(err)
	}
	apart, err := base.Apart(twenty)
	if err != nil {
		t.Fatal(err)
	}
	counts := func(name string, scale float64) *Schedule {
		c := valid(t, Counts{Series: []Series{series("a", 30, 4, 0, 9), series("b", 0, 700, 7, 7)}, Columns: 4, Width: time.Minute, Speed: 3, Scale: scale, Spacing: spacing(t, name)})
		return recorded(t, c, 7)
	}
	for name, tt := range map[string]struct {
		schedule *Schedule
		want     string
	}{
		"among":       {among, "04f8a75e98f12bf6f992638e5916a1c7971df4d3b8bb8e516da3a8940f76cff5"},
		"apart":       {apart, "19bdab87f81ccff4d60b0ef3cddf12dae36598c06e50be00fc36cb53633f50e7"},
		"exponential": {counts("exponential", 1), "6b7237f9c559f967fd0c26fa0d9cb01cdfabfcbe5405be289de5b09bd83d88cb"},
		"uniform":     {counts("uniform", 0.5), "6b0a311771d007b67f0ad6aa11d81cedbff1ce306c09cf0e0ee21842a611e33f"},
		"equidistant": {counts("equidistant", 1.5), "c9d7eab0df1eba8dad36033a89014a114383bcd752a515620ed1e296946a82d6"},
	} {
		if got := tt.schedule.Hash(); got != tt.want {
			t.Errorf("%s: hash %s, want %s", name, got, tt.want)
		}
	}
}

// Not parallel: allocations are counted for the whole process.
func TestNextOfSourcesDoesNotAllocate(t *testing.T) {
	var many []Series
	var functions []Function
	for i := range 50 {
		many = append(many, series(fmt.Sprint("f", i), slices.Repeat([]uint32{20}, 60)...))
		functions = append(functions, Function{Name: fmt.Sprint("f", i), Share: 1})
	}
	for _, sp := range Spacings() {
		c := valid(t, Counts{Series: many, Columns: 60, Width: time.Minute, Speed: 1, Scale: 0.9, Spacing: sp})
		st := recorded(t, c, 1).Stream()
		if n := testing.AllocsPerRun(10_000, func() { st.Next() }); n != 0 {
			t.Errorf("%s: %v allocations", sp.Name, n)
		}
	}
	apart, err := mustSchedule(t, []Phase{{Length: time.Hour, Curve: Constant(50)}}, Poisson{}, 1).Apart(functions)
	if err != nil {
		t.Fatal(err)
	}
	st := apart.Stream()
	if n := testing.AllocsPerRun(10_000, func() { st.Next() }); n != 0 {
		t.Errorf("apart: %v allocations", n)
	}
}
