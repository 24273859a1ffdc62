package policy

import (
	"fmt"
	"time"
)

var staticSpec = Spec{
	Name: "static",
	Help: "a fixed number of workers (--workers, default 15), never reaped",
	Cost: "O(1)",
	build: func(_ values, workers int) Policy {
		if workers == 0 {
			workers = 15
		}
		return static{workers}
	},
}

// static keeps n workers from before the first request to the end.
type static struct{ n int }

func (s static) Initial() Decision { return Decision{Target: s.n, Floor: s.n} }

func (s static) Decide(o Observation) Decision {
	return Decision{Target: s.n, Floor: s.n, Rate: o.Rate()}
}

func (s static) Describe(time.Duration) []string {
	return []string{fmt.Sprintf("N = %d for the whole run", s.n)}
}
