// Package qpn evaluates queueing models over a range of arrival rates: it
// simulates their nets, gives every number an interval, sets the exact value
// beside it where there is one, and refuses to call anything a mean that has
// none.
//
// Its parts: dist (laws of times), exact (formulas), net (the simulator), stats
// (intervals), draw (pictures). The models themselves are YAML files, read by
// profiles/model.
package qpn

import (
	"math"
	"strings"

	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
)

// A Model is a net with its arrival rate left open.
type Model struct {
	Name        string   // spr, cls, mbs, …
	Variant     string   // 5x3, M1, …; "" for none
	Settings    []string // parameters set by hand, as key=value, in order
	Description string
	Lambda      float64 // the arrival rate it comes with, per second

	// Net builds the net for an arrival rate above 0.
	Net func(lambda float64) (*net.Net, error)

	// Capacity is the rate the model can serve for ever: +Inf for no limit, 0
	// where it is not known.
	Capacity float64

	// Exact gives the steady state; nil where no formula is known. An
	// *exact.TooLarge counts as "no formula" too.
	Exact func(lambda float64) (exact.Result, error)
}

// Title returns the name with the variant.
func (m *Model) Title() string {
	if m.Variant == "" {
		return m.Name
	}
	return m.Name + " " + m.Variant
}

// Label is the title with what was set by hand: two sweeps of one model are told
// apart by it.
func (m *Model) Label() string {
	return strings.Join(append([]string{m.Title()}, m.Settings...), " ")
}

// load is arrivals over capacity, NaN where that is unknown.
func (m *Model) load(lambda float64) float64 {
	if m.Capacity == 0 {
		return math.NaN()
	}
	return lambda / m.Capacity
}
