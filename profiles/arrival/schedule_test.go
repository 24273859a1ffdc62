package arrival

import (
	"context"
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
