package policy

import (
	"fmt"
	"time"
)

var ttlSpec = Spec{
	Name: "ttl",
	Help: "fixed keep-alive: a worker lives until it has been idle for so long; only misses start workers",
	Cost: "O(1)",
	Miss: "spawn",
	Params: []Param{
		{Name: "keep", Help: "seconds a worker is kept idle; 0: the node's idle timeout", Default: 600, Min: 0, Max: 1e6},
	},
	build: func(p values, workers int) Policy { return onDemand{keep: seconds(p["keep"]), initial: workers} },
}

// onDemand is what most platforms do: it wants no worker and keeps each for a
// while; the miss path starts them. The default of ttl is the 10 minutes that
// Shahrad et al. (ATC'20) compare with.
type onDemand struct {
	keep    time.Duration
	initial int
	rule    string // what else there is to state
}

func (p onDemand) Initial() Decision { return Decision{Target: p.initial, IdleTimeout: p.keep} }

func (p onDemand) Decide(o Observation) Decision {
	return Decision{Rate: o.Rate(), IdleTimeout: p.keep}
}

func (p onDemand) Describe(time.Duration) []string {
	facts := []string{"workers are kept for the node's idle timeout"}
	if p.keep > 0 {
		facts[0] = fmt.Sprintf("workers are kept for %v of idleness", p.keep)
	}
	if p.rule != "" {
		facts = append(facts, p.rule)
	}
	return facts
}

// seconds turns a parameter into a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
