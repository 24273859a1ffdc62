package arrival

import (
	"fmt"
	"math"
	"math/rand/v2"
)

var lognormalFamily = Family{
	Name:   "lognormal",
	Help:   "independent lognormal gaps of a given scv (squared coefficient of variation)",
	Params: []Param{{Name: "scv", Help: "squared coefficient of variation of a gap, above 0 and at most 1000"}},
	New:    func(v Values) (Law, error) { return NewLognormal(v.Number("scv")) },
}

// maxRenewalSCV bounds the laws whose spread is free: beyond it no run is long
// enough to show the mean.
const maxRenewalSCV = 1000

// Lognormal has independent gaps exp(σZ − σ²/2) with Z standard normal and
// σ² = ln(1 + scv), so that their mean is 1. The zero value is not usable.
type Lognormal struct{ scv, sigma float64 }

// NewLognormal takes 0 < scv ≤ 1000.
func NewLognormal(scv float64) (Lognormal, error) {
	if err := checkSCV("lognormal", scv); err != nil {
		return Lognormal{}, err
	}
	return Lognormal{scv: scv, sigma: math.Sqrt(logarithm(1 + scv))}, nil
}

func checkSCV(law string, scv float64) error {
	if !(scv > 0 && scv <= maxRenewalSCV) {
		return fmt.Errorf("%s: scv = %v is not above 0 and at most %d", law, scv, maxRenewalSCV)
	}
	return nil
}

// Gaps implements Law.
func (l Lognormal) Gaps(src *rand.PCG) Gaps {
	return &lognormalGaps{normal: normal{src: src}, sigma: l.sigma, mu: -float64(l.sigma*l.sigma) / 2}
}

// SCV implements Law.
func (l Lognormal) SCV() float64 { return l.scv }

func (l Lognormal) String() string { return fmt.Sprintf("lognormal(scv=%v)", l.scv) }

type lognormalGaps struct {
	normal    normal
	sigma, mu float64
}

func (g *lognormalGaps) Next() float64 { return exponent(float64(g.sigma*g.normal.next()) + g.mu) }

// normal draws standard normal numbers in pairs by Marsaglia's polar method,
// which needs a logarithm and a root only.
type normal struct {
	src   *rand.PCG
	spare float64
	has   bool
}

func (n *normal) next() float64 {
	if n.has {
		n.has = false
		return n.spare
	}
	for {
		x, y := 2*uniform(n.src)-1, 2*uniform(n.src)-1
		s := float64(x*x) + float64(y*y)
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * logarithm(s) / s)
		n.spare, n.has = float64(y*f), true
		return float64(x * f)
	}
}
