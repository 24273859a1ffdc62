package net

import (
	"context"
	"math"
	"slices"
)

// A Plan says how long a run is; the first bound that is reached ends it. At
// least one has to be set.
type Plan struct {
	Departures int     // tokens ended
	Time       float64 // model time
	Events     uint64  // timers and services ended

	// Trace is the period of the transient trace, 0 for none.
	Trace float64
}

// stillLimit is how much may happen in one instant before it counts as a loop.
// A real net moves each token a few times; a loop moves for ever.
const stillLimit = 1_000_000

// between is how many events pass between two looks at the context.
const between = 1 << 14

// Run goes on until the plan is fulfilled, the context is done, or the net
// cannot go on. What was observed until then is kept in any case.
func (s *Sim) Run(ctx context.Context, plan Plan) error {
	if plan.Time <= 0 {
		plan.Time = math.Inf(1)
	}
	if plan.Events == 0 {
		plan.Events = math.MaxUint64
	}
	if plan.Departures <= 0 {
		plan.Departures = math.MaxInt
	}
	trace := int32(len(s.timers) + len(s.queues) + len(s.window))
	if plan.Trace > 0 {
		s.record.startTrace(s, plan.Trace)
		s.clocks.set(trace, s.now+plan.Trace)
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.record.begin(s, plan.Departures)
	for s.events < plan.Events && s.record.departures < plan.Departures {
		if s.events%between == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		clock := s.clocks.first()
		at := s.clocks.at[clock]
		if math.IsInf(at, 1) {
			return s.deadlock()
		}
		if at > plan.Time {
			s.now = plan.Time
			return nil
		}
		if err := s.act(clock, at); err != nil {
			return err
		}
	}
	return nil
}

// act lets one clock act at its time, then everything that follows at once.
func (s *Sim) act(clock int32, at float64) error {
	if at > s.now {
		s.now, s.still = at, 0
	} else if s.still++; s.still > stillLimit {
		return s.loop()
	}
	timers, queues := int32(len(s.timers)), int32(len(s.queues))
	switch {
	case clock < timers:
		s.events++
		s.idle = 0
		s.fireTimer(clock)
	case clock < timers+queues:
		s.events++
		s.idle = 0
		s.serve(&s.queues[clock-timers])
	case clock < timers+queues+int32(len(s.window)):
		if s.idle++; s.idle > 2*len(s.window) && s.stopped() {
			return s.deadlock()
		}
		s.lookBack(&s.window[clock-timers-queues], clock)
	default:
		if s.stopped() && len(s.window) == 0 {
			return s.deadlock()
		}
		s.record.traceRow(s)
		s.clocks.set(clock, s.now+s.record.every)
		return nil
	}
	return s.settle()
}

// stopped reports whether no timer and no service is pending.
func (s *Sim) stopped() bool {
	for _, at := range s.clocks.at[:len(s.timers)+len(s.queues)] {
		if !math.IsInf(at, 1) {
			return false
		}
	}
	return true
}

func (s *Sim) deadlock() error {
	return &Deadlock{Net: s.prog.name, Time: s.now, Marking: Marking{s}.String()}
}

// loop lists who fires next, a few times over.
func (s *Sim) loop() error {
	l := &Loop{Net: s.prog.name, Time: s.now, Marking: Marking{s}.String()}
	note := func(transition int) {
		if name := s.prog.transitions[transition].name; !slices.Contains(l.Firing, name) {
			l.Firing = append(l.Firing, name)
		}
	}
	for range 100 {
		if t := s.pick(); t >= 0 {
			note(t)
			s.fireChosen(t)
			continue
		}
		s.retimeAll()
		clock := s.clocks.first()
		if int(clock) >= len(s.timers) || s.clocks.at[clock] > s.now {
			break
		}
		note(int(s.timers[clock].mode.transition))
		s.fireTimer(clock)
	}
	return l
}

// Marking returns where the tokens are now.
func (s *Sim) Marking() Marking { return Marking{s} }

// Events returns how many timers and services have ended.
func (s *Sim) Events() uint64 { return s.events }

// Firings returns how many transitions have fired, immediate ones included.
func (s *Sim) Firings() uint64 { return s.firings }
