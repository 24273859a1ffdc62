package policy

import (
	"fmt"
	"time"
)

var reactiveSpec = Spec{
	Name: "reactive",
	Help: "one more worker a tick while requests wait, all reaped when idle",
	Cost: "O(1)",
	Params: []Param{
		{Name: "step", Help: "workers added a tick while there is a backlog", Default: 1, Min: 1, Max: 1000, Whole: true},
		{Name: "floor", Help: "workers kept however long idle", Default: 0, Min: 0, Max: 100000, Whole: true},
	},
	build: func(p values, workers int) Policy {
		return reactive{step: int(p["step"]), floor: int(p["floor"]), initial: max(workers, 1)}
	},
}

// reactive follows the backlog and predicts nothing. It starts with one worker,
// so that the first request of a run is not a cold start by construction, and
// its floor is 0: after a long silence it is as cold as a platform that scales
// to zero.
type reactive struct{ step, floor, initial int }

func (r reactive) Initial() Decision { return Decision{Target: r.initial, Floor: r.floor} }

func (r reactive) Decide(o Observation) Decision {
	d := Decision{Target: max(o.Workers(), r.floor), Floor: r.floor, Rate: o.Rate()}
	if o.Backlog > 0 {
		d.Target += r.step
	}
	return d
}

func (r reactive) Describe(tick time.Duration) []string {
	return []string{fmt.Sprintf("+%d worker a tick of %v while requests wait; starts with %d, keeps %d", r.step, tick, r.initial, r.floor)}
}
