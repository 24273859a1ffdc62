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
	build: func(p values, workers int) Policy {
		return ttl{keep: time.Duration(p["keep"] * float64(time.Second)), initial: workers}
	},
}

// ttl is what most platforms do: it wants no worker and keeps each for a while.
// The default is the 10 minutes that Shahrad et al. (ATC'20) compare with.
type ttl struct {
	keep    time.Duration
	initial int
}

func (t ttl) Initial() Decision { return Decision{Target: t.initial, IdleTimeout: t.keep} }

func (t ttl) Decide(o Observation) Decision { return Decision{Rate: o.Rate(), IdleTimeout: t.keep} }

func (t ttl) Describe(time.Duration) []string {
	if t.keep == 0 {
		return []string{"workers are kept for the node's idle timeout"}
	}
	return []string{fmt.Sprintf("workers are kept for %v of idleness", t.keep)}
}
