package net

import (
	"edgebench/analysis/qpn/dist"
)

// A Program is a compiled Net: names became indices, identities became fixed
// routes, and for each change of a marking it is known whom it may enable.
// It never changes, so any number of runs may share it.
type Program struct {
	name    string
	places  []place
	slots   []slot
	queues  []queue
	windows []window
	probes  []probe
	ending  []int32 // probes that stop at a token's end

	// Immediate transitions come first, highest priority first, then the timed
	// ones. modes and timers are in that order too.
	transitions []transition
	immediate   int
	modes       []mode
	timers      []int32 // mode of each timer clock

	// Bit sets: words of them for immediate transitions, then for timers.
	words, timerWords int

	colours []string
	starts  []start
	taken   int // most tokens any firing takes
}

type probe struct {
	name    string
	atBirth bool // starts at a token's birth
	atEnd   bool // stops at its end
}

// place is one place; its slots are the colours it is used with.
type place struct {
	name     string
	capacity int32 // 0: none
	drop     bool
	queue    int32 // -1: ordinary
	starts   []int32
	stops    []int32

	fell  []uint64 // immediate transitions that fewer tokens may enable
	moved []uint64 // timers that any change may touch
}

// slot is a place with a colour: the tokens there that can be taken.
type slot struct {
	place, colour int32
	plain         bool
	rose, fell    []uint64 // immediate transitions that a change may enable
	moved         []uint64 // timers that any change may touch
}

type queue struct {
	place      int32
	discipline Discipline
	servers    int32
	laws       []dist.Law // by colour
	class      []int32    // by colour, 0 the highest
	classes    int
}

type window struct {
	name       string
	every      float64
	busy, over []int32
	above      float64
	put        []put
}

type transition struct {
	name     string
	modes    []int32
	gate     []need // what every mode needs
	choose   Choice
	weight   float64
	level    int  // first transition of lower priority
	unproven bool // a marking-dependent weight: never known to be disabled
}

type mode struct {
	name       string
	transition int32
	need       []need
	limits     []limit // of a place's population
	fewer      []limit // of a slot's tokens

	in      []need
	out     []put
	sources []int32 // for each identity put: the token taken that it continues, or -1
	ends    []int32 // tokens taken that end here

	law      dist.Law
	timers   int // most at once
	weight   float64
	weightOf func(Marking) float64
	least    int32
}

// need is at least n tokens of a slot.
type need struct {
	slot, n int32
	plain   bool
}

// limit is at most this many tokens of a place or slot.
type limit struct {
	at, most int32
}

type put struct {
	slot, n int32
	plain   bool
}

// start is n tokens of a slot in the first marking.
type start struct {
	slot, n int32
}

// Places returns the names of the places, in the order of Observation.
func (p *Program) Places() []string {
	names := make([]string, len(p.places))
	for i := range p.places {
		names[i] = p.places[i].name
	}
	return names
}

// Probes returns the names of the probes, in the order of Observation.
func (p *Program) Probes() []string {
	names := make([]string, len(p.probes))
	for i, probe := range p.probes {
		names[i] = probe.name
	}
	return names
}

// HasQueue reports whether place i is a queueing place.
func (p *Program) HasQueue(i int) bool { return p.places[i].queue >= 0 }
