package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// H2 is the two-phase hyperexponential law: with probability p an exponential
// of one mean, else of another. It is more variable than the exponential.
type H2 struct {
	p      float64
	m1, m2 float64
}

// NewH2 fits an H2 to a mean above 0, the probability p of its first phase
// (0 < p < 1) and a squared coefficient of variation scv ≥ 1.
//
// With phase means mean·(1 + a) and mean·(1 − b) the mean asks for p·a =
// (1−p)·b and the second moment for p·a² + (1−p)·b² = (scv−1)/2 = v, so
// a = ±√(v(1−p)/p) and b = ±√(vp/(1−p)). The plus sign (the first phase is the
// long one) is taken where both exist; it exists while b < 1, that is for
// scv < 1 + 2(1−p)/p, the minus sign while a > −1: scv < 1 + 2p/(1−p).
func NewH2(mean, p, scv float64) (H2, error) {
	if err := positive("h2", "mean", mean); err != nil {
		return H2{}, err
	}
	if !(p > 0 && p < 1) {
		return H2{}, fmt.Errorf("h2: p %v: outside 0 < p < 1", p)
	}
	v := (scv - 1) / 2
	odds := (1 - p) / p
	a, b := math.Sqrt(v*odds), math.Sqrt(v/odds)
	if b >= 1 {
		a, b = -a, -b
	}
	if !(scv >= 1) || 1+a <= 0 || 1-b <= 0 || math.IsInf(scv, 1) {
		return H2{}, fmt.Errorf("h2: scv %v: no positive phase rates at p %v (feasible: 1 ≤ scv < %.6g)",
			scv, p, 1+2*max(odds, 1/odds))
	}
	return H2{p: p, m1: mean * (1 + a), m2: mean * (1 - b)}, nil
}

// NewH2Rates returns the H2 law with phase rates above 0, the first taken with
// probability p (0 < p < 1).
func NewH2Rates(p, rate1, rate2 float64) (H2, error) {
	if err := positive("h2", "first rate", rate1, "second rate", rate2); err != nil {
		return H2{}, err
	}
	if !(p > 0 && p < 1) {
		return H2{}, fmt.Errorf("h2: p %v: outside 0 < p < 1", p)
	}
	return H2{p: p, m1: 1 / rate1, m2: 1 / rate2}, nil
}

// Sample draws a time.
func (h H2) Sample(r *rand.Rand) float64 {
	if r.Float64() < h.p {
		return r.ExpFloat64() * h.m1
	}
	return r.ExpFloat64() * h.m2
}

// Mean returns the mean.
func (h H2) Mean() float64 { return h.p*h.m1 + (1-h.p)*h.m2 }

// SCV returns the squared coefficient of variation.
func (h H2) SCV() float64 {
	m := h.Mean()
	return 2*(h.p*h.m1*h.m1+(1-h.p)*h.m2*h.m2)/(m*m) - 1
}

// Laplace returns E[exp(−s·T)].
func (h H2) Laplace(s float64) float64 { return h.p/(1+s*h.m1) + (1-h.p)/(1+s*h.m2) }

// Phases returns both phases.
func (h H2) Phases() (probs, rates []float64) {
	return []float64{h.p, 1 - h.p}, []float64{1 / h.m1, 1 / h.m2}
}
