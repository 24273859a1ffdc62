// Package dispatch decides which worker takes a request, of those that admit one
// more. A rule is a pure function of the workers it is shown, so the live node and
// the twin run the same code. How many workers there are is policy, decided
// elsewhere.
package dispatch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Candidate is a worker with a free token: an idle one, or one that admits more
// requests than it has.
type Candidate struct {
	ID     uint64        // from 1, in the order of the starts
	Slot   int           // from 0, the lowest that was free at its start: a place that workers come to and leave
	Since  time.Duration // its last request ended, or it became ready, on the node's clock
	Served int           // requests it has served
	Load   int           // requests in it, waiting and executing; 0 for an idle one
}

// A Dispatch picks one of the candidates, which are in the order of Since, the
// longest ago first; there is at least one. It returns an index into them. It is
// not safe for concurrent use.
type Dispatch interface {
	Pick(free []Candidate) int
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
	probabilisticSpec,
}

// A Spec is what a rule is called. The seed is for rules that draw lots.
type Spec struct {
	Name, Help string // one line
	Weighted   bool   // takes weights: NAME:W0,W1,…
	build      func(weights []float64, seed uint64) Dispatch
}

// Specs returns the registered rules, the default first.
func Specs() []Spec { return slices.Clone(registry) }

// New makes the rule that text names, the default for an empty one. Weights may
// follow the name after a colon: probabilistic:3,2,1.
func New(text string, seed uint64) (Dispatch, error) {
	name, list, weighted := strings.Cut(text, ":")
	if text == "" {
		name = registry[0].Name
	}
	names := make([]string, len(registry))
	for i, s := range registry {
		if s.Name != name {
			names[i] = s.Name
			continue
		}
		if !weighted {
			return s.build(nil, seed), nil
		}
		if !s.Weighted {
			return nil, fmt.Errorf("dispatch %q: %s takes no weights", text, name)
		}
		weights, err := parseWeights(list)
		if err != nil {
			return nil, fmt.Errorf("dispatch %q: %w", text, err)
		}
		return s.build(weights, seed), nil
	}
	return nil, fmt.Errorf("dispatch %q: unknown (have %s)", text, strings.Join(names, ", "))
}

// parseWeights reads positive numbers with commas between.
func parseWeights(list string) ([]float64, error) {
	var weights []float64
	for word := range strings.SplitSeq(list, ",") {
		w, err := strconv.ParseFloat(word, 64)
		if err != nil || !(w > 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("weight %q: want a positive number, as in probabilistic:3,2,1", word)
		}
		weights = append(weights, w)
	}
	return weights, nil
}
