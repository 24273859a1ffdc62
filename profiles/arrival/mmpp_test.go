package arrival

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"
)

// Two states have closed forms (H. Heffes and D. M. Lucantoni 1986): with rates
// λ₁, λ₂ left at r₁, r₂, C² = 1 + 2(λ₁−λ₂)²r₁r₂ / ((r₁+r₂)²(λ₁λ₂+λ₁r₂+λ₂r₁)).
func TestMMPPMomentsOfTwoStates(t *testing.T) {
	t.Parallel()
	m, err := NewMMPP([]float64{1, 20}, []float64{30, 5})
	if err != nil {
		t.Fatal(err)
	}
	r1, r2 := 1.0/30, 1.0/5
	for _, rate := range []float64{0.1, 1, 50} {
		l1, l2 := rate*m.level[0], rate*m.level[1]
		mean := (l1*r2 + l2*r1) / (r1 + r2)
		scv := 1 + 2*(l1-l2)*(l1-l2)*r1*r2/((r1+r2)*(r1+r2)*(l1*l2+l1*r2+l2*r1))
		dispersion := 1 + 2*(l1-l2)*(l1-l2)*r1*r2/(math.Pow(r1+r2, 3)*mean)
		if math.Abs(mean-rate) > 1e-12*rate || math.Abs(m.SCVAt(rate)-scv) > 1e-9*scv || math.Abs(m.Dispersion(rate)-dispersion) > 1e-9*dispersion {
			t.Errorf("at %v: mean %v, SCV %v want %v, dispersion %v want %v", rate, mean, m.SCVAt(rate), scv, m.Dispersion(rate), dispersion)
		}
	}
}

// Along a changing curve the counts keep the curve's integral as their mean, and
// the process stays bursty: a silent state silences the curve.
func TestMMPPFollowsTheCurve(t *testing.T) {
	t.Parallel()
	m, err := NewMMPP([]float64{0, 1}, []float64{0.4, 0.6})
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 300
	sums := make([]float64, 5)
	var s *Schedule
	for seed := range uint64(seeds) {
		s = mustSchedule(t, burstyRamp()[:5], m, seed)
		d, err := s.Digest(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range d.Counts {
			sums[i] += float64(n)
		}
	}
	for i := range sums {
		want := s.ExpectedIn(i)
		dispersion := 1 + m.Dispersion(30)
		if mean := sums[i] / seeds; math.Abs(mean-want) > 4.5*math.Sqrt(dispersion*want/seeds) {
			t.Errorf("phase %d: mean %v, want %v", i, mean, want)
		}
	}
}

func TestMMPPEndsInSilence(t *testing.T) {
	t.Parallel()
	m, err := NewMMPP([]float64{1, 0}, []float64{0.5, 1e6})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		s := mustSchedule(t, []Phase{{Length: 10 * time.Second, Curve: Constant(1)}}, m, seed)
		st := s.Stream()
		for _, ok := st.Next(); ok; _, ok = st.Next() {
		}
		if a, ok := st.Next(); ok {
			t.Fatalf("arrival %+v after the end", a)
		}
	}
}

func TestMMPPReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := NewMMPP([]float64{-1, math.NaN(), 2e9}, []float64{0, math.Inf(1)})
	for _, want := range []string{"3 rates for 2", "rates[0]", "rates[1]", "rates[2]", "dwell[0]", "dwell[1]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
