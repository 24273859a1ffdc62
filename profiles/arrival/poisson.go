package arrival

import "math/rand/v2"

var poissonFamily = Family{
	Name: "poisson",
	Help: "independent exponential gaps",
	New:  func(Values) (Law, error) { return Poisson{}, nil },
}

// Poisson has independent exponential gaps: with a changing rate, the
// inhomogeneous Poisson process.
type Poisson struct{}

// Gaps implements Law.
func (Poisson) Gaps(src *rand.PCG) Gaps { return poissonGaps{src} }

// SCV implements Law.
func (Poisson) SCV() float64 { return 1 }

func (Poisson) String() string { return "poisson" }

type poissonGaps struct{ src *rand.PCG }

func (g poissonGaps) Next() float64 { return exponential(g.src) }
