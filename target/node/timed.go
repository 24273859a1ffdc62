package node

import (
	"slices"
	"time"

	"edgebench/target/policy"
)

// timedPolicy measures what a decision costs on the reactor's thread.
type timedPolicy struct {
	inner policy.Policy
	costs [1024]time.Duration // the last decisions
	n     int                 // decisions ever
}

func (p *timedPolicy) Decide(o policy.Observation) policy.Decision {
	begun := time.Now()
	d := p.inner.Decide(o)
	p.costs[p.n%len(p.costs)] = time.Since(begun)
	p.n++
	return d
}

// Initial is nothing for policies that want nothing before the first tick.
func (p *timedPolicy) Initial() policy.Decision {
	if i, ok := p.inner.(policy.Initial); ok {
		return i.Initial()
	}
	return policy.Decision{}
}

// quantiles are the p50 and p99 of the last decisions, 0 without any.
func (p *timedPolicy) quantiles() (p50, p99 time.Duration) {
	n := min(p.n, len(p.costs))
	if n == 0 {
		return 0, 0
	}
	sorted := slices.Clone(p.costs[:n])
	slices.Sort(sorted)
	return sorted[n/2], sorted[min(n-1, n*99/100)]
}
