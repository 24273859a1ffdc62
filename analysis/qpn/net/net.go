// Package net simulates queueing Petri nets: Petri nets with coloured tokens in
// which a place may be a queue with servers.
//
// A Net is described by plain structs, compiled once, and run any number of
// times, each run with its own random streams. Model time is a float64 in the
// unit of the laws that are used, seconds everywhere in this project.
//
// Tokens of a colour that is not Plain are somebody: they keep their identity
// across firings, so a response time is measured on the token itself, from the
// firing that made it to the firing that ended it, and never inferred. A firing
// passes identities on like this: each token it puts out continues the first
// token it took that has the same colour and was not continued yet, else the
// first of any colour; where none is left a token is born. Tokens taken and not
// continued end there. Plain tokens (permits, states) are only counted.
//
// The package refuses to run on: no timer left is a deadlock, firing without
// end in one instant a loop; both are errors that name the marking.
package net

import "edgebench/analysis/qpn/dist"

// A Net is a queueing Petri net.
type Net struct {
	Name        string
	Colours     []Colour
	Places      []Place
	Transitions []Transition
	Windows     []Window
	Probes      []Probe
}

// A Colour is a kind of token.
type Colour struct {
	Name  string
	Plain bool // only counted: no identity, no response time
}

// Tokens is a number of tokens of a colour.
type Tokens struct {
	Colour string
	N      int
}

// A Place holds tokens. With a Queue, tokens pass its servers before
// transitions can take them.
type Place struct {
	Name     string
	Initial  []Tokens // in the place when a run starts; they queue if it has a Queue
	Capacity int      // most tokens it holds, queue included; 0 means no limit
	Overflow Reaction
	Queue    *Queue // nil: an ordinary place
}

// Reaction is what happens at a full place.
type Reaction int

// Reactions.
const (
	Block Reaction = iota // transitions that would put a token there are disabled
	Drop                  // the token is lost, and counted
)

// A Queue serves tokens.
type Queue struct {
	Discipline Discipline
	Servers    int // 1 or more; 0 means 1; IS has one for everybody
	Service    []Service
}

// Discipline is who is served next.
type Discipline int

// Disciplines. None of them interrupts a service but PS, which shares it.
const (
	FCFS     Discipline = iota // first come, first served
	PS                         // processor sharing: n tokens on c servers progress at min(1, c/n) each
	IS                         // infinite server: nobody waits
	LIFO                       // last come, first served
	Priority                   // highest Service.Priority first, first come first served within
)

// Service is the time a colour takes on a server.
type Service struct {
	Colour   string
	Law      dist.Law
	Priority int // higher is served first (discipline Priority)
}

// A Transition moves tokens. Without a Law it is immediate: it fires as soon as
// it can. With a Law it is timed: a timer of that law runs while it is enabled,
// is forgotten when it is disabled, and it fires when the timer ends.
type Transition struct {
	Name string
	Law  dist.Law

	// A timed transition has as many timers as its inputs would let it fire at
	// once, but at most Servers (0 means 1), without limit if Infinite.
	Servers  int
	Infinite bool

	// Of the immediate transitions enabled at one instant the highest Priority
	// fires; among equals one at random by Weight (0 means 1).
	Priority int
	Weight   float64

	Choose Choice // among the enabled modes of an immediate transition
	Modes  []Mode // 1 or more; each mode of a timed transition has its own timer
}

// Choice is a routing decision.
type Choice int

// Choices.
const (
	Random     Choice = iota // by weight
	First                    // the first enabled in the order given
	RoundRobin               // the next enabled after the one fired last
	Rotation                 // the next position in the list of the enabled ones, which shifts when that list changes
	Least                    // the one whose Least place holds the fewest tokens, the first of equals
)

// A Mode is one way a transition fires.
type Mode struct {
	Name     string
	Weight   float64               // 0 means 1
	WeightOf func(Marking) float64 // marking-dependent weight ≥ 0, instead of Weight; 0 disables the mode
	Least    string                // the place compared under Choice Least
	Law      dist.Law              // of this mode, instead of the transition's

	In      []Arc // taken
	Out     []Arc // put
	Test    []Arc // must be there, are left there
	Inhibit []Arc // must be fewer than N: of a Colour those a transition could take, without one the whole place
}

// An Arc is a number of tokens of a colour at a place. From a place with a
// queue only served tokens can be taken or tested.
type Arc struct {
	Place  string
	Colour string
	N      int  // 0 means 1
	New    bool // of Out: the token is born here, even if one taken could continue
}

// A Window is a control that looks back: at the end of every period it compares
// the busy server time of some places with the token time (population integral)
// of others and puts tokens when the ratio is above a threshold.
type Window struct {
	Name  string
	Every float64 // length of the period, above 0
	Busy  []string
	Over  []string
	Above float64
	Put   []Arc
}

// A Probe times tokens between two points. From is the place whose entry starts
// the time, "" for the token's birth; To the place whose leaving stops it, ""
// for the token's end. Tokens that did not pass From do not count.
type Probe struct {
	Name, From, To string
}
