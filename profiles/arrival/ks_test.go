package arrival

import (
	"math"
	"slices"
	"testing"
	"time"
)

// distance is the largest difference between the distribution of the values and
// cdf (Kolmogorov, Smirnov). It sorts the values.
func distance(values []float64, cdf func(float64) float64) float64 {
	slices.Sort(values)
	n, worst := float64(len(values)), 0.0
	for i, x := range values {
		f := cdf(x)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	return worst
}

// Gaps of a schedule at 500/s, as a run would send them: against the exact law
// within what 100,000 gaps of it may differ by, and C² of h2 within 5 %.
func TestScheduledGapsFollowTheirLaw(t *testing.T) {
	t.Parallel()
	const n = 100_000
	normalCDF := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	sigma := math.Sqrt(math.Log(1 + 0.5))
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	lognormal, err := NewLognormal(0.5)
	if err != nil {
		t.Fatal(err)
	}
	weibull, err := NewWeibull(2.125)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		law Law
		cdf func(x float64) float64 // of a gap in mean gaps
	}{
		{Poisson{}, func(x float64) float64 { return -math.Expm1(-x) }},
		{h2, func(x float64) float64 { return 1 - 0.2*math.Exp(-0.4*x) - 0.8*math.Exp(-1.6*x) }},
		{lognormal, func(x float64) float64 { return normalCDF((math.Log(x) + sigma*sigma/2) / sigma) }},
		{weibull, func(x float64) float64 { return -math.Expm1(-math.Pow(x*math.Gamma(1+weibull.a), 1/weibull.a)) }},
	}
	for _, tt := range tests {
		t.Run(tt.law.String(), func(t *testing.T) {
			t.Parallel()
			st := mustSchedule(t, []Phase{{Length: time.Hour, Curve: Constant(500)}}, tt.law, 7).Stream()
			first, _ := st.Next()
			last := first.At
			gaps := make([]float64, n)
			var sum, squares float64
			for i := range gaps {
				a, ok := st.Next()
				if !ok {
					t.Fatalf("only %d arrivals", i)
				}
				x := 500 * (a.At - last).Seconds()
				last, gaps[i] = a.At, x
				sum, squares = sum+x, squares+x*x
			}
			mean := sum / n
			scv := squares/n/(mean*mean) - 1
			// 1.95/√n is passed by one in a thousand; the seed is fixed.
			if d := distance(gaps, tt.cdf); d > 1.95/math.Sqrt(n) {
				t.Errorf("KS distance %v", d)
			}
			if math.Abs(mean-1) > 0.02 || math.Abs(scv-tt.law.SCV()) > 0.05*tt.law.SCV() {
				t.Errorf("mean %v, C² %v, want 1 and %v", mean, scv, tt.law.SCV())
			}
		})
	}
}
