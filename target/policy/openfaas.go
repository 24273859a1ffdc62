package policy

import (
	"fmt"
	"math"
	"time"
)

var openFaaSSpec = Spec{
	Name: "openfaas",
	Help: "OpenFaaS CE: an alert on requests/s a replica adds a step of the maximum, its end returns to the minimum",
	Cost: "O(1)",
	Params: []Param{
		{Name: "rps", Help: "requests/s a replica above which the alert is pending", Default: 5, Min: 0.001, Max: 1e9},
		{Name: "for", Help: "seconds it has to last", Default: 5, Min: 0, Max: 3600},
		{Name: "share", Help: "share of max added while the alert fires, once each such time", Default: 0.2, Min: 0.001, Max: 1},
		{Name: "min", Help: "least replicas", Default: 1, Min: 0, Max: 100000, Whole: true},
		{Name: "max", Help: "most replicas", Default: 20, Min: 1, Max: 100000, Whole: true},
	},
	build: func(p values, workers int) Policy {
		o := &openFaaS{
			rps: p["rps"], hold: seconds(p["for"]),
			step: int(math.Ceil(p["share"] * p["max"])), least: int(p["min"]), most: max(int(p["max"]), int(p["min"])),
		}
		o.replicas = min(max(workers, o.least), o.most)
		return o
	},
}

// openFaaS is the community edition's alert rule. A resolved alert returns to the
// minimum at once, though the rate may need more: under a steady load above the
// rule's the count saws up and down. That is the rule, not a fault of this code.
type openFaaS struct {
	rps         float64
	hold        time.Duration
	step        int
	least, most int

	replicas int
	pending  time.Duration // how long the rate has been above the rule's
}

func (p *openFaaS) Initial() Decision { return Decision{Target: p.replicas, Floor: p.replicas} }

func (p *openFaaS) Decide(o Observation) Decision {
	x := o.Rate()
	d := Decision{Rate: x}
	if x > p.rps*float64(max(p.replicas, 1)) {
		p.pending += o.Window
		if p.pending >= p.hold {
			d.Alarm = "rps"
			p.pending = 0
			p.replicas = min(p.replicas+p.step, p.most)
		}
	} else {
		p.pending = 0
		p.replicas = p.least
	}
	d.Target, d.Floor = p.replicas, p.replicas
	return d
}

func (p *openFaaS) Describe(time.Duration) []string {
	return []string{fmt.Sprintf("+%d replicas when above %g requests/s a replica for %v, %d to %d", p.step, p.rps, p.hold, p.least, p.most)}
}
