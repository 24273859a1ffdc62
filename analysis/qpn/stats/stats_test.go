package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"edgebench/analysis/qpn/stats"
)

// Student's own example (1908): the additional hours of sleep of ten patients;
// mean 1.58, standard deviation 1.23 (n − 1), t(0.975, 9) = 2.262157.
func TestStudent(t *testing.T) {
	t.Parallel()
	i := stats.Student([]float64{1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4}, 0.95)
	if math.Abs(i.Mean-1.58) > 1e-12 || math.Abs(i.Half-2.262157163*1.229995484/math.Sqrt(10)) > 1e-8 {
		t.Errorf("interval %v", i)
	}
	if one := stats.Student([]float64{3}, 0.95); !math.IsNaN(one.Half) || one.Covers(3) {
		t.Errorf("one value gave %v", one)
	}
	if same := stats.Student([]float64{0.1 + 0.2, 0.3}, 0.95); !same.Covers(0.3) {
		t.Errorf("%v does not cover 0.3", same)
	}
}

// noise is an autoregressive series around a level that a warm-up of a known
// length approaches from above.
func noise(r *rand.Rand, n, warm int, excess float64) []float64 {
	out := make([]float64, n)
	x := 0.0
	for i := range out {
		x = 0.5*x + r.NormFloat64()
		out[i] = 10 + x
		if i < warm {
			out[i] += excess
		}
	}
	return out
}

func TestMSER(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		warm, low, high int
		excess          float64
	}{
		"clear warm-up": {200, 190, 215, 20},
		"none":          {0, 0, 60, 0},
	} {
		warm, settled := stats.MSER(noise(r, 2000, c.warm, c.excess))
		if warm < c.low || warm > c.high || !settled {
			t.Errorf("%s: %d values removed, settled %v; want %d..%d", name, warm, settled, c.low, c.high)
		}
	}
	ramp := make([]float64, 1000)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	if warm, settled := stats.MSER(ramp); settled {
		t.Errorf("a ramp counts as settled after %d", warm)
	}
}

func TestAverage(t *testing.T) {
	t.Parallel()
	got := stats.Average([][]float64{{1, 2, 3}, {3, 4}})
	if len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("average %v", got)
	}
}

// Batch means of an AR(1) series: the standard error of its mean is known,
// 1/((1 − 0.5)·√n); long batches are uncorrelated, short ones show themselves.
func TestBatchMeans(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 1))
	series := noise(r, 100_000, 0, 0)
	i, correlation := stats.BatchMeans(series, 20, 0.95)
	if want := 2.093 / (0.5 * math.Sqrt(100_000)); i.Half < want/1.6 || i.Half > want*1.6 {
		t.Errorf("half width %v, want about %v", i.Half, want)
	}
	if math.Abs(correlation) > 0.5 {
		t.Errorf("correlation %v of long batches", correlation)
	}
	if _, short := stats.BatchMeans(series, 50_000, 0.95); short < 0.2 {
		t.Errorf("correlation %v of batches of 2", short)
	}
	if few, _ := stats.BatchMeans([]float64{1, 2}, 20, 0.95); few.N != 2 {
		t.Errorf("two values in 20 batches: %v", few)
	}
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	for name, c := range map[string]struct {
		factor float64
		want   bool
	}{"steady": {1, false}, "critical": {1.87, true}, "surplus": {3.4, true}} {
		var early, late []float64
		for range 10 {
			early = append(early, 10*r.ExpFloat64()/4+8)
			late = append(late, (10*r.ExpFloat64()/4+8)*c.factor)
		}
		if got, by := stats.Growth(early, late); got != c.want {
			t.Errorf("%s: growth %v by %v", name, got, by)
		}
	}
}
