package policy

import (
	"fmt"
	"time"
)

// unlimited tokens: every instance has a queue of its own, and none is in front.
const unlimited = 1 << 30

var mbsSpec = Spec{
	Name:     "mbs",
	Help:     "metric-based scaling: above a utilisation one more instance a window; each has its own queue",
	Cost:     "O(1)",
	Miss:     "queue",
	Dispatch: "round-robin",
	Tokens:   unlimited,
	Params: []Param{
		{Name: "threshold", Help: "utilisation of a window above which an instance is activated", Default: 0.7, Min: 0.01, Max: 1},
		{Name: "idle", Help: "observation period after which an idle instance is removed, seconds", Default: 1, Min: 1e-9, Max: 1e6},
		{Name: "floor", Help: "instances kept however long idle", Default: 1, Min: 1, Max: 100000, Whole: true},
	},
	build: func(p values, workers int) Policy {
		floor := int(p["floor"])
		return &mbs{threshold: p["threshold"], idle: seconds(p["idle"]), floor: floor, initial: max(workers, floor)}
	},
}

// mbs adds an instance for every window, which is the policy's tick, in which
// those there were spent more than the threshold of their time executing. What it
// never does is take one away that has work: only idle ones go.
type mbs struct {
	threshold      float64
	idle           time.Duration
	floor, initial int
}

func (m *mbs) Initial() Decision {
	return Decision{Target: m.initial, Floor: m.floor, IdleTimeout: m.idle}
}

func (m *mbs) Decide(o Observation) Decision {
	n := max(o.Workers(), m.floor)
	if o.Utilization > m.threshold {
		n++
	}
	return Decision{Target: bounded(float64(n)), Floor: m.floor, IdleTimeout: m.idle, Rate: o.Rate()}
}

func (m *mbs) Describe(tick time.Duration) []string {
	return []string{
		fmt.Sprintf("+1 instance when the utilisation of a window of %v is above %g; one idle for %v is removed, %d stay", tick, m.threshold, m.idle, m.floor),
		"a request goes to an instance at once and waits in the queue of that one",
	}
}
