package arrival

import (
	"fmt"
	"math"
	"math/rand/v2"
)

var h2Family = Family{
	Name: "h2",
	Help: "hyperexponential gaps of two phases, independent of each other",
	Params: []Param{
		{Name: "p", Help: "probability of the first phase, above 0 and below 1"},
		{Name: "scv", Help: "squared coefficient of variation of a gap, at least 1"},
	},
	New: func(v Values) (Law, error) { return NewH2(v.Number("p"), v.Number("scv")) },
}

// H2 is the hyperexponential law of two phases: a gap is exponential of
// Rates()[i] with probability Probabilities()[i]. The zero value is not usable.
type H2 struct {
	p, scv float64
	mean   [2]float64 // of each phase, for a mean gap of 1
}

// NewH2 fits the phase rates to unit mean and scv for phase probabilities p and
// q = 1 − p.
//
// With phase means a and b, p·a + q·b = 1 and 2·(p·a² + q·b²) = 1 + scv. The
// second says that the phase means have variance s² = (scv − 1)/2, so
//
//	a = 1 + s·√(q/p), b = 1 − s·√(p/q)    first phase the slower, or
//	a = 1 − s·√(q/p), b = 1 + s·√(p/q)    first phase the faster.
//
// b > 0 in the first needs scv < 1 + 2q/p, a > 0 in the second scv < 1 + 2p/q.
// Where both hold the first is taken. p = 0.2, scv = 2.125 leaves only the first:
// the pair of balanced means, rates 0.4 and 1.6.
func NewH2(p, scv float64) (H2, error) {
	if !(p > 0 && p < 1) {
		return H2{}, fmt.Errorf("h2: p = %v is outside (0, 1)", p)
	}
	q := 1 - p
	h := H2{p: p, scv: scv}
	if scv >= 1 && !math.IsInf(scv, 1) {
		s := math.Sqrt((scv - 1) / 2)
		slow := float64(s * math.Sqrt(q/p))
		fast := float64(s * math.Sqrt(p/q))
		if h.mean = [2]float64{1 + slow, 1 - fast}; h.mean[1] > 0 {
			return h, nil
		}
		if h.mean = [2]float64{1 - slow, 1 + fast}; h.mean[0] > 0 {
			return h, nil
		}
	}
	limit := 1 + 2*max(q/p, p/q)
	return H2{}, fmt.Errorf("h2: no positive phase rates for p = %v, scv = %v: with this p, scv must be at least 1 and below %.6g", p, scv, limit)
}

// Probabilities of the two phases; they sum to 1.
func (h H2) Probabilities() [2]float64 { return [2]float64{h.p, 1 - h.p} }

// Rates of the two phases relative to the rate of arrivals: times λ they are the
// phase rates at λ arrivals/s.
func (h H2) Rates() [2]float64 { return [2]float64{1 / h.mean[0], 1 / h.mean[1]} }

// Gaps implements Law.
func (h H2) Gaps(src *rand.PCG) Gaps { return &h2Gaps{src: src, h: h} }

// SCV implements Law.
func (h H2) SCV() float64 { return h.scv }

func (h H2) String() string { return fmt.Sprintf("h2(p=%v, scv=%v)", h.p, h.scv) }

type h2Gaps struct {
	src *rand.PCG
	h   H2
}

func (g *h2Gaps) Next() float64 {
	mean := g.h.mean[0]
	if uniform(g.src) > g.h.p {
		mean = g.h.mean[1]
	}
	return float64(mean * exponential(g.src))
}
