package arrival

import "math/rand/v2"

var evenFamily = Family{
	Name: "even",
	Help: "evenly spaced, the first arrival at the first instant with a rate",
	New:  func(Values) (Law, error) { return Even{}, nil },
}

// Even spaces arrivals evenly in the cumulative rate: arrival k is where it
// passes k. It draws nothing.
type Even struct{}

// Gaps implements Law.
func (Even) Gaps(*rand.PCG) Gaps { return &evenGaps{} }

// SCV implements Law.
func (Even) SCV() float64 { return 0 }

func (Even) String() string { return "even" }

// evenGaps is 0 before the first arrival, then 1 for ever: their sum is exact up
// to 2⁵³ arrivals.
type evenGaps struct{ next float64 }

func (g *evenGaps) Next() float64 {
	gap := g.next
	g.next = 1
	return gap
}
