package arrival

import (
	"fmt"
	"math/rand/v2"
)

var weibullFamily = Family{
	Name:   "weibull",
	Help:   "independent Weibull gaps of a given scv (squared coefficient of variation): 1 is poisson, below it more regular",
	Params: []Param{{Name: "scv", Help: "squared coefficient of variation of a gap, from 0.0001 to 1000"}},
	New:    func(v Values) (Law, error) { return NewWeibull(v.Number("scv")) },
}

// Weibull has independent gaps E^a/Γ(1+a), E exponential and a = 1/shape. The zero
// value is not usable.
type Weibull struct{ scv, a, scale float64 }

// NewWeibull finds the shape: 1 + scv = Γ(1+2a)/Γ(1+a)², which grows with a, from
// scv 0 at a = 0 over 1 at a = 1 to above 1000 at a = 8. It takes
// 0.0001 ≤ scv ≤ 1000; below, the difference of the two logarithms drowns.
func NewWeibull(scv float64) (Weibull, error) {
	const least = 1e-4
	if err := checkSCV("weibull", scv); err != nil {
		return Weibull{}, err
	}
	if scv < least {
		return Weibull{}, fmt.Errorf("weibull: scv = %v is below %v: use even", scv, least)
	}
	target := logarithm(1 + scv)
	low, high := 0.0, 8.0
	for range 60 {
		a := float64((low + high) / 2)
		if spread(a) < target {
			low = a
		} else {
			high = a
		}
	}
	a := float64((low + high) / 2)
	return Weibull{scv: scv, a: a, scale: exponent(-logGamma(1 + a))}, nil
}

// spread is ln(Γ(1+2a)/Γ(1+a)²).
func spread(a float64) float64 { return logGamma(1+float64(2*a)) - float64(2*logGamma(1+a)) }

// Gaps implements Law.
func (w Weibull) Gaps(src *rand.PCG) Gaps { return &weibullGaps{src: src, w: w} }

// SCV implements Law.
func (w Weibull) SCV() float64 { return w.scv }

func (w Weibull) String() string { return fmt.Sprintf("weibull(scv=%v)", w.scv) }

type weibullGaps struct {
	src *rand.PCG
	w   Weibull
}

func (g *weibullGaps) Next() float64 {
	e := exponential(g.src)
	if e == 0 {
		return 0 // the logarithm has no such number
	}
	return float64(g.w.scale * exponent(float64(g.w.a*logarithm(e))))
}
