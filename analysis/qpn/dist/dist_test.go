package dist_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"edgebench/analysis/qpn/dist"
)

func must[L dist.Law](t *testing.T) func(L, error) dist.Law {
	return func(l L, err error) dist.Law {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

func laws(t *testing.T) map[string]dist.Law {
	return map[string]dist.Law{
		"exponential":   must[dist.Exponential](t)(dist.NewExponential(0.5)),
		"h2":            must[dist.H2](t)(dist.NewH2(2, 0.2, 2.125)),
		"h2 short p":    must[dist.H2](t)(dist.NewH2(2, 0.8, 6)),
		"h2 rates":      must[dist.H2](t)(dist.NewH2Rates(0.2, 0.4, 1.6)),
		"deterministic": must[dist.Deterministic](t)(dist.NewDeterministic(3)),
		"erlang":        must[dist.Erlang](t)(dist.NewErlang(0.7, 4)),
		"lognormal":     must[dist.Lognormal](t)(dist.NewLognormal(1.5, 0.5)),
		"weibull":       must[dist.Weibull](t)(dist.NewWeibull(2, 0.8)),
		"scaled":        must[dist.Scaled](t)(dist.NewScaled(must[dist.Uniform](t)(dist.NewUniform(1, 4)), 0.5)),
		"uniform":       must[dist.Uniform](t)(dist.NewUniform(1, 4)),
	}
}

// What a law says of itself has to be what it draws: mean, variability and the
// Laplace transform, each within six of its own standard errors.
func TestSamplesAgreeWithMoments(t *testing.T) {
	t.Parallel()
	const n = 200_000
	for name, law := range laws(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			s := 1 / law.Mean()
			var sum, sum2, sum4, lt, lt2 float64
			for range n {
				x := law.Sample(r)
				if x < 0 {
					t.Fatalf("drew %v", x)
				}
				e := math.Exp(-s * x)
				sum, sum2, sum4 = sum+x, sum2+x*x, sum4+x*x*x*x
				lt, lt2 = lt+e, lt2+e*e
			}
			within(t, "mean", sum/n, law.Mean(), sum2/n, n)
			within(t, "second moment", sum2/n, law.Mean()*law.Mean()*(1+law.SCV()), sum4/n, n)
			if tr, ok := law.(dist.Transformer); ok {
				within(t, "Laplace", lt/n, tr.Laplace(s), lt2/n, n)
			}
		})
	}
}

func within(t *testing.T, what string, got, want, second float64, n int) {
	t.Helper()
	se := math.Sqrt(math.Max(second-got*got, 0) / float64(n))
	if math.Abs(got-want) > 6*se+1e-12*want {
		t.Errorf("%s: drawn %v, stated %v (standard error %.2g)", what, got, want, se)
	}
}

func TestH2BalancedMeans(t *testing.T) {
	t.Parallel()
	h, err := dist.NewH2(1, 0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	p, rates := h.Phases()
	for i, want := range [][2]float64{{0.2, 0.4}, {0.8, 1.6}} {
		if math.Abs(p[i]-want[0]) > 1e-12 || math.Abs(rates[i]-want[1]) > 1e-12 {
			t.Errorf("phase %d: p %v rate %v, want %v", i, p[i], rates[i], want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  func() error
		text string
	}{
		"h2 too variable":   {func() error { _, err := dist.NewH2(1, 0.2, 9.5); return err }, "feasible: 1 ≤ scv < 9"},
		"h2 too regular":    {func() error { _, err := dist.NewH2(1, 0.2, 0.5); return err }, "scv 0.5"},
		"h2 scv NaN":        {func() error { _, err := dist.NewH2(1, 0.2, math.NaN()); return err }, "scv NaN"},
		"h2 p 1":            {func() error { _, err := dist.NewH2(1, 1, 2); return err }, "p 1"},
		"h2 rate 0":         {func() error { _, err := dist.NewH2Rates(0.2, 0, 1); return err }, "first rate 0"},
		"exponential 0":     {func() error { _, err := dist.NewExponential(0); return err }, "mean 0"},
		"exponential NaN":   {func() error { _, err := dist.NewExponential(math.NaN()); return err }, "mean NaN"},
		"negative constant": {func() error { _, err := dist.NewDeterministic(-1); return err }, "-1"},
		"erlang 0":          {func() error { _, err := dist.NewErlang(1, 0); return err }, "k 0"},
		"uniform reversed":  {func() error { _, err := dist.NewUniform(2, 1); return err }, "from 2 to 1"},
		"lognormal both":    {func() error { _, err := dist.NewLognormal(-1, -2); return err }, "scv -2"},
		"scaled by 0":       {func() error { _, err := dist.NewScaled(dist.Deterministic{}, 0); return err }, "factor 0"},
		"weibull shape":     {func() error { _, err := dist.NewWeibull(1, math.Inf(1)); return err }, "shape +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.err(); err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one with %q", err, c.text)
			}
		})
	}
}
