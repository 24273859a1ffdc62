package pool

import (
	"time"

	"edgebench/target/policy"
)

// Counts are totals since the pool began. Every arrival is assigned, rejected,
// cancelled, or still waits: in the queue, inside a worker or for its one-off to start.
type Counts struct {
	Arrivals      uint64
	Assigned      [NumPaths]uint64
	Rejected      [NumReasons]uint64
	Cancelled     uint64
	Started       [NumReasons]uint64
	Stopped       [NumReasons]uint64
	StartFailures uint64
	Deaths        uint64 // of workers that had been ready
	Decisions     uint64
	Alarms        uint64
}

// A State is the pool at an instant.
type State struct {
	Starting, Idle, Busy int // pool workers; Busy are those with a request in them
	OneOffs              int // in any state
	Waiting              int // requests in the queue
	Admitted             int // requests waiting inside a worker
	Executing            int // requests executing in pool workers
	Bound                int // requests whose one-off is being started
	ServiceTime          time.Duration
	Decision             policy.Decision // the last one, bounded by MaxWorkers
}

// Counts returns the totals.
func (p *Pool) Counts() Counts { return p.counts }

// LastDecision is what the policy last decided, bounded by MaxWorkers.
func (p *Pool) LastDecision() policy.Decision { return p.scale.last }

// ServiceTime is the estimate of T: an exponentially weighted mean of measured
// service times that starts at the configured one. It is at least 1 ns.
func (p *Pool) ServiceTime() time.Duration { return max(time.Duration(p.service), 1) }

// State describes the pool.
func (p *Pool) State() State {
	s := State{
		Starting: p.starting, Idle: p.ready.n - p.busy, Busy: p.busy, OneOffs: p.oneOffs,
		Waiting: p.waiting.live, Admitted: p.admitted(), Executing: p.running.n, ServiceTime: p.ServiceTime(), Decision: p.scale.last,
	}
	for _, w := range p.workers {
		if w.bound {
			s.Bound++
		}
	}
	return s
}
