// Package dispatch decides which idle worker takes a request. A rule is a pure
// function of the idle workers it is shown, so the live node and the twin run
// the same code. How many workers there are is policy, decided elsewhere.
package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Candidate is an idle worker.
type Candidate struct {
	ID     uint64        // from 1, in the order of the starts
	Since  time.Duration // idle since, on the node's clock
	Served int           // requests it has served
}

// A Dispatch picks one of the idle workers, which are in the order in which
// they became idle, longest idle first; there is at least one. It returns an
// index into idle. It is not safe for concurrent use.
type Dispatch interface {
	Pick(idle []Candidate) int
}

// registry lists every rule; the first is the default. To add one: a file of
// its own with a Spec, and its name here.
var registry = []Spec{
	lifoSpec,
	fifoSpec,
	overflowSpec,
	roundRobinSpec,
	leastLoadedSpec,
	randomSpec,
}

// A Spec is what a rule is called. The seed is for rules that draw lots.
type Spec struct {
	Name, Help string // one line
	build      func(seed uint64) Dispatch
}

// Specs returns the registered rules, the default first.
func Specs() []Spec { return slices.Clone(registry) }

// New makes the rule of that name, the default for an empty one.
func New(name string, seed uint64) (Dispatch, error) {
	if name == "" {
		return registry[0].build(seed), nil
	}
	names := make([]string, len(registry))
	for i, s := range registry {
		if s.Name == name {
			return s.build(seed), nil
		}
		names[i] = s.Name
	}
	return nil, fmt.Errorf("dispatch %q: unknown (have %s)", name, strings.Join(names, ", "))
}
