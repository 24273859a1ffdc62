package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Reference values are of SciPy 1.10.1 unless a test names another source; the
// call stands beside each.

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Student's sleep data (Biometrika 6, 1908), as R's datasets::sleep has them.
var (
	sleepA = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleepB = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

// Permeability of human chorioamnion (Hollander and Wolfe 1973, p. 69), the
// example of R's wilcox.test.
var (
	termed = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early  = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
)

func TestStudent(t *testing.T) {
	t.Parallel()
	// t.interval(.95, 9, mean, sem); R prints 0.7001142 2.4598858 for the pairs.
	i, ok := Student(Differences(sleepA, sleepB), 0.95)
	near(t, "low", i.Low, 0.7001142367452713, 1e-9)
	near(t, "high", i.High, 2.4598857632547286, 1e-9)
	if !ok || !i.Excludes(0) || i.Excludes(1) {
		t.Errorf("%+v %v", i, ok)
	}
	if _, ok := Student([]float64{3}, 0.95); ok || !math.IsNaN(StudentHalf(nil, 0.95)) {
		t.Error("an interval from one value")
	}
}

func TestWelch(t *testing.T) {
	t.Parallel()
	i, ok := Welch(termed, early, 0.95) // by hand from t.ppf(.975, 12.970538443257544)
	near(t, "low", i.Low, -0.6937249963348038, 1e-9)
	near(t, "high", i.High, 0.019724996334803846, 1e-9)
	if same, _ := Welch([]float64{2, 2}, []float64{5, 5}, 0.95); !ok || same.Low != 3 || same.High != 3 {
		t.Errorf("without variance %+v", same)
	}
	if _, ok := Welch([]float64{2}, []float64{5, 5}, 0.95); ok {
		t.Error("an interval with one value on a side")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	if Median([]float64{5, 1, 3}) != 3 || Median([]float64{10, 1, 2, 3}) != 2.5 || !math.IsNaN(Median(nil)) {
		t.Error("median")
	}
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	// Spatial test data A (Efron and Tibshirani 1993, table 14.1):
	// bootstrap(…, np.mean, confidence_level=.95, method='BCa', n_resamples=200000).
	spatial := []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}
	i, ok := Bootstrap(spatial, 0.95, rand.New(rand.NewPCG(1, 2)))
	near(t, "low", i.Low, 24.115384615384617, 0.25)
	near(t, "high", i.High, 34.26923076923077, 0.25)
	again, _ := Bootstrap(spatial, 0.95, rand.New(rand.NewPCG(1, 2)))
	if !ok || again != i {
		t.Errorf("the same seed gives %v and %v", i, again)
	}
	if same, ok := Bootstrap([]float64{7, 7, 7, 7}, 0.95, rand.New(rand.NewPCG(1, 2))); !ok || same.Low != 7 || same.High != 7 {
		t.Errorf("equal values %+v", same)
	}
	if _, ok := Bootstrap([]float64{1, 2, 3}, 0.95, rand.New(rand.NewPCG(1, 2))); ok {
		t.Error("three values resampled")
	}
}

func TestMannWhitney(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		a, b         []float64
		u, p, within float64
		exact        bool
	}{
		// R: W = 35, one-sided p-value = 0.1272, two-sided 0.2544.
		{"no ties", termed, early, 35, 0.2544122544122544, 1e-12, true},
		// All C(13, 7) deals of the mid-ranks counted one by one.
		{"ties", []float64{1, 2, 2, 3, 5, 5, 7}, []float64{2, 4, 5, 6, 7, 8}, 11.5, 0.19114219114219114, 1e-12, true},
		// mannwhitneyu(method='asymptotic', use_continuity=True)
		{"many", manyA, manyB, 218.5, 0.0006354611197964739, 1e-12, false},
		{"all equal", []float64{4, 4, 4}, []float64{4, 4}, 3, 1, 0, true},
		{"apart", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0, 2.0 / 252, 1e-15, true}, // C(10, 5) = 252
		{"one each", []float64{1}, []float64{2}, 0, 1, 1e-15, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := MannWhitney(c.a, c.b)
			if !ok || got.Exact != c.exact || got.Statistic != c.u {
				t.Errorf("%+v %v, want U %v, exact %v", got, ok, c.u, c.exact)
			}
			near(t, "p", got.P, c.p, c.within)
			back, _ := MannWhitney(c.b, c.a)
			near(t, "p with the sides changed", back.P, c.p, max(c.within, 1e-15))
		})
	}
	if _, ok := MannWhitney(nil, termed); ok {
		t.Error("a test of nothing")
	}
}

// Exact at its limit of 50 values in all, and close to the approximation there.
func TestMannWhitneyAtTheLimit(t *testing.T) {
	t.Parallel()
	exact, _ := MannWhitney(manyA[:25], manyB[:25])
	variance := 25.0 * 25 * 51 / 12
	near(t, "p", exact.P, normalTail(math.Abs(exact.Statistic-312.5), variance), 0.002)
	if !exact.Exact {
		t.Error("not exact")
	}
}

// Drawn once from N(10, 2) and N(11, 2), to one digit.
var (
	manyA = []float64{10.0, 10.6, 9.5, 8.2, 9.1, 8.0, 10.1, 12.7, 9.0, 8.8, 11.0, 10.7, 10.2, 8.1, 9.9, 11.4, 7.3, 9.1, 6.2, 7.4, 6.3, 9.5, 7.5, 10.5, 10.3, 9.6, 5.0, 8.9, 9.9, 10.2}
	manyB = []float64{7.9, 10.0, 9.0, 9.4, 13.1, 9.4, 10.9, 12.8, 9.8, 10.8, 11.2, 11.1, 8.5, 11.2, 13.7, 7.9, 12.7, 11.2, 9.7, 15.0, 12.5, 8.6, 11.1, 12.2, 10.6, 12.4, 10.9, 12.3, 13.9, 9.6}
)

func TestSignedRank(t *testing.T) {
	t.Parallel()
	// Hamilton depression scale (Hollander and Wolfe 1973, p. 29), the example of
	// R's wilcox.test: V = 40, two-sided p-value = 0.03906.
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	got, ok := SignedRank(Differences(y, x))
	near(t, "p", got.P, 0.0390625, 1e-12)
	if !ok || got.Statistic != 40 || !got.Exact {
		t.Errorf("%+v %v", got, ok)
	}
	// All 2⁹ signs of the mid-ranks counted one by one.
	ties, _ := SignedRank([]float64{1, 1, -1, 2, 2, 3, -3, 4, 0, 5})
	near(t, "p with ties and a zero", ties.P, 0.12109375, 1e-12)
	near(t, "statistic", ties.Statistic, 36.5, 0)
	if _, ok := SignedRank([]float64{0, 0}); ok {
		t.Error("a test of zeros")
	}
	// wilcoxon(d, mode='approx', correction=True) of 60 differences without ties.
	many := make([]float64, 60)
	for i := range many {
		many[i] = float64(i+1) * map[bool]float64{true: -1, false: 1}[i%3 == 0]
	}
	approx, _ := SignedRank(many)
	near(t, "p of many", approx.P, 0.016901653275967522, 1e-9)
	if approx.Exact {
		t.Error("exact above its limit")
	}
}

func TestCliff(t *testing.T) {
	t.Parallel()
	// The example of R's effsize::cliff.delta: −0.25, −0.7265846 to 0.3890062.
	treated, control := []float64{10, 10, 20, 20, 20, 30, 30, 30, 40, 50}, []float64{10, 20, 30, 40, 40, 50}
	got, ok := Cliff(control, treated, 0.95)
	near(t, "delta", got.Delta, -0.25, 1e-12)
	near(t, "low", got.Interval.Low, -0.7265845888898318, 1e-9)
	near(t, "high", got.Interval.High, 0.3890061901985406, 1e-9)
	if !ok {
		t.Error("refused")
	}
	apart, _ := Cliff([]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0.95)
	tt := 2.306004135 // t quantile of 8 degrees of freedom, from tables
	near(t, "near end of samples apart", apart.Interval.Low, (5-tt*tt)/(5+tt*tt), 1e-6)
	below, _ := Cliff([]float64{6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5}, 0.95)
	if apart.Delta != 1 || apart.Interval.High != 1 || below.Delta != -1 || below.Interval.High != -apart.Interval.Low {
		t.Errorf("apart %+v, below %+v", apart, below)
	}
	if single, ok := Cliff([]float64{1}, []float64{2}, 0.95); !ok || single.Delta != 1 || single.Interval != nil {
		t.Errorf("one each: %+v", single)
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02.
	got := Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, math.NaN(), 0.06, 0.02} {
		if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", i, got[i], want)
		}
	}
	if one := Holm([]float64{0.6, 0.7}); one[0] != 1 || one[1] != 1 {
		t.Errorf("above 1: %v", one)
	}
}

func TestMannKendall(t *testing.T) {
	t.Parallel()
	// kendalltau(range(10), v, method='exact') and theilslopes.
	got, ok := MannKendall([]float64{3.1, 2.9, 3.4, 3.3, 3.8, 3.6, 4.1, 3.9, 4.4, 4.0})
	near(t, "p", got.P, 0.002212852733686067, 1e-12)
	near(t, "slope", got.Slope, 0.15, 1e-12)
	if !ok || got.Statistic != 33 || !got.Exact {
		t.Errorf("%+v %v", got, ok)
	}
	// With ties, by the formula of Kendall 1975: S 41, variance 158.33, z 3.1789.
	ties, _ := MannKendall([]float64{3, 3, 4, 4, 5, 4, 6, 6, 7, 5, 8})
	near(t, "p with ties", ties.P, 0.0014784647972275091, 1e-12)
	if ties.Statistic != 41 || ties.Exact {
		t.Errorf("%+v", ties)
	}
	rising, _ := MannKendall([]float64{1, 2, 3, 4, 5})
	near(t, "p of the rarest order", rising.P, 2.0/120, 1e-15) // 2 of 5! orders
	if flat, ok := MannKendall([]float64{2, 2, 2, 2, 2}); !ok || flat.P != 1 || flat.Slope != 0 {
		t.Errorf("flat %+v", flat)
	}
	if _, ok := MannKendall([]float64{1, 2, 3, 4}); ok {
		t.Error("a trend of four values")
	}
}

func TestQuantileRanks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q         float64
		n         int
		low, high int
	}{
		{0.5, 10, 2, 9},     // tables of the median, coverage 0.9785 (David and Nagaraja 2003)
		{0.5, 20, 6, 15},    // 0.9586
		{0.99, 298, 0, 0},   // 1 − 0.99²⁹⁸ = 0.94996
		{0.99, 299, 0, 299}, // 0.95046 in all: the maximum bounds it, barely
		{0.95, 58, 0, 0},
		{0.95, 59, 0, 59},
		{0.01, 299, 1, 0}, // the mirror image
		{0.5, 1, 0, 0},
	} {
		low, high, ok := QuantileRanks(c.n, c.q, 0.95)
		if ok != (c.low+c.high > 0) || c.low > 0 && low != c.low || c.high > 0 && high != c.high {
			t.Errorf("p%v of %d: ranks %d to %d %v, want %d to %d", 100*c.q, c.n, low, high, ok, c.low, c.high)
		}
	}
	if MinSamples(0.99, 0.95) != 299 || MinSamples(0.95, 0.95) != 59 || MinSamples(0.999, 0.95) != 2995 {
		t.Error("least samples")
	}
}

// Whatever n and q: the ranks cover the quantile as often as they say, by
// counting how many of the values lie below it.
func TestQuantileRanksCover(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		n int
		q float64
	}{{10, 0.5}, {80, 0.9}, {320, 0.99}, {900, 0.99}} {
		low, high, ok := QuantileRanks(c.n, c.q, 0.95)
		if !ok {
			t.Fatalf("p%v of %d refused", 100*c.q, c.n)
		}
		const rounds = 4000
		covered := 0
		for range rounds {
			below := 0
			for range c.n {
				if rng.Float64() < c.q {
					below++
				}
			}
			if low <= below && below < high {
				covered++
			}
		}
		if share := float64(covered) / rounds; share < 0.94 {
			t.Errorf("p%v of %d: ranks %d to %d cover %v of the time", 100*c.q, c.n, low, high, share)
		}
	}
}
