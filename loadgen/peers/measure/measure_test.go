package measure

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"edgebench/profiles/arrival"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	rungs := []int{10, 20, 30, 40, 50, 60, 70, 80}
	for _, c := range []struct {
		name     string
		capacity float64
		start    float64
		most     int
		want     Ceiling
		tried    []int
	}{
		{"climbs", 35, 10, 9, Ceiling{Rate: 30}, []int{10, 20, 30, 40}},
		{"starts below what it was told", 35, 29, 9, Ceiling{Rate: 30}, []int{20, 30, 40}},
		{"comes down to what was reached", 25, 80, 9, Ceiling{Rate: 20}, []int{80, 20, 50, 30}},
		{"comes down a rung", 79, 80, 9, Ceiling{Rate: 70}, []int{80, 70}},
		{"holds nothing", 5, 30, 9, Ceiling{}, []int{30, 10}},
		{"holds everything", 99, 70, 9, Ceiling{Rate: 80, Open: true}, []int{70, 80}},
		{"runs out of tries above", 99, 10, 2, Ceiling{Rate: 20, Open: true}, []int{10, 20}},
		{"runs out of tries between", 45, 80, 2, Ceiling{Rate: 40, Open: true}, []int{80, 40}},
		{"runs out of tries below", 5, 50, 1, Ceiling{}, []int{50}},
		{"below the ladder", 15, 1, 9, Ceiling{Rate: 10}, []int{10, 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var tried []int
			got, err := Search(rungs, c.start, c.most, func(rate int) (bool, float64, error) {
				tried = append(tried, rate)
				return float64(rate) <= c.capacity, min(float64(rate), c.capacity), nil
			})
			if err != nil || got != c.want || !slices.Equal(tried, c.tried) {
				t.Errorf("%+v, %v after %v; want %+v after %v", got, err, tried, c.want, c.tried)
			}
		})
	}
	lost := errors.New("lost")
	if _, err := Search(rungs, 20, 9, func(int) (bool, float64, error) { return false, 0, lost }); !errors.Is(err, lost) {
		t.Errorf("an error of the step: %v", err)
	}
	if !slices.IsSorted(Rungs()) || slices.Index(Rungs(), 100_000) < 0 {
		t.Error("rungs are out of order, or without the rate that is asked for")
	}
}

// even makes n arrivals of a grid, each moved by shift.
func even(n int, gap time.Duration, shift func(i int) time.Duration) []int64 {
	arrivals := make([]int64, n)
	for i := range arrivals {
		arrivals[i] = 1_700_000_000_123_456_789 + int64(i)*int64(gap) + int64(shift(i))
	}
	slices.Sort(arrivals)
	return arrivals
}

func TestPacingErrors(t *testing.T) {
	t.Parallel()
	const gap = 500 * time.Microsecond
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name               string
		shift              func(i int) time.Duration
		grid50, grid99     time.Duration
		gap50, gap99, near time.Duration
	}{
		{"exact", func(int) time.Duration { return 0 }, 0, 0, 0, 0, 0},
		{"one in fifty late by 100 µs", func(i int) time.Duration {
			return time.Duration(i%50/49) * 100 * time.Microsecond
		}, 0, 100 * time.Microsecond, 0, 100 * time.Microsecond, 0},
		{"pairs", func(i int) time.Duration { return time.Duration(i%2) * -gap }, 0, 0, gap, gap, 0},
		{"no pace: uniform over a gap", func(int) time.Duration { return time.Duration(r.Int64N(int64(gap))) },
			gap / 4, gap / 2, 0, 0, gap / 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrivals := even(10_000, gap, c.shift)
			near := func(what string, got, want time.Duration) {
				if (got - want).Abs() > c.near {
					t.Errorf("%s: %v, want %v within %v", what, got, want, c.near)
				}
			}
			grid, gaps := GridErrors(arrivals, gap), GapErrors(arrivals, gap)
			near("grid p50", Quantile(grid, 0.5), c.grid50)
			near("grid p99", Quantile(grid, 0.99), c.grid99)
			if c.near == 0 {
				near("gap p50", Quantile(gaps, 0.5), c.gap50)
				near("gap p99", Quantile(gaps, 0.99), c.gap99)
			}
		})
	}
	if GridErrors(nil, gap) != nil || Quantile(nil, 0.5) != 0 || len(Gaps([]int64{7})) != 0 {
		t.Error("nothing must give nothing")
	}
}

func TestSteady(t *testing.T) {
	t.Parallel()
	arrivals := []int64{0, 1, 2, 500, 600, 700}
	if got := Steady(arrivals, 200); !slices.Equal(got, []int64{500, 600, 700}) {
		t.Errorf("got %v", got)
	}
	if got := Steady(arrivals, time.Second); len(got) != len(arrivals) || Steady(nil, 1) != nil {
		t.Errorf("longer than there is: %v", got)
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	h, err := arrival.NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	const n, mean = 100_000, 2 * time.Millisecond
	draw := func(law arrival.Law) []time.Duration {
		next, gaps := law.Gaps(rand.NewPCG(1, 1)), make([]time.Duration, n)
		for i := range gaps {
			gaps[i] = time.Duration(next.Next() * float64(mean))
		}
		return gaps
	}
	poisson, h2 := draw(arrival.Poisson{}), draw(h)
	bound := 1.63 / math.Sqrt(n) // of the right law, at 1 % (Kolmogorov)
	if d := KS(poisson, mean, Exponential); d > bound {
		t.Errorf("Poisson against its law: %.4f", d)
	}
	if d := KS(h2, mean, Hyperexponential(h)); d > bound {
		t.Errorf("H2 against its law: %.4f", d)
	}
	if d := KS(h2, mean, Exponential); d < 0.05 {
		t.Errorf("H2 against the wrong law: %.4f", d)
	}
	if c := SCV(h2); math.Abs(c-2.125) > 0.05*2.125 {
		t.Errorf("C² of H2: %.3f", c)
	}
	// Two gaps of mean 1: F = 1 − 1/e jumps from 0 to 1/2 to 1 there.
	if d := KS([]time.Duration{mean, mean}, mean, Exponential); math.Abs(d-(1-1/math.E)) > 1e-9 {
		t.Errorf("KS of two equal gaps: %v", d)
	}
	if c := SCV([]time.Duration{1, 3}); c != 0.5 { // variance 2, mean 2
		t.Errorf("SCV of 1 and 3: %v", c)
	}
}

func TestStalledQuantile(t *testing.T) {
	t.Parallel()
	for q, want := range map[float64]float64{0.5: 0, 0.9: 400, 0.99: 940, 0.999: 994} {
		if got := StalledQuantile(q, 12*time.Second, time.Second, 2); math.Abs(got.Seconds()*1e3-want) > 0.01 {
			t.Errorf("p%g: %v, want %g ms", 100*q, got, want)
		}
	}
}
