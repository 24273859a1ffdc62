package net

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// A Sim is one run of a Program. It is not safe for concurrent use; run several
// for that. After Reset it is as new but keeps its memory, so that later runs
// allocate nothing.
type Sim struct {
	prog   *Program
	now    float64
	clocks clocks
	slots  []tokens
	places []population
	queues []server
	timers []timer
	turns  []int32 // by transition: the position fired last, for RoundRobin and Rotation
	window []lookback

	wake      []uint64 // immediate transitions that may be enabled
	wakeTimer []uint64 // timers whose enabling may have changed

	born  []float64 // by token
	stamp []float64 // by token and probe
	free  []int32   // tokens not in use
	held  []int32   // tokens taken by the firing going on

	choice  *rand.Rand
	streams []stream

	events, firings uint64
	still           int // firings and events since time passed
	idle            int // windows since anything else happened
	record          recorder
}

// tokens is the state of a slot: what can be taken.
type tokens struct {
	n    int32
	fifo ring
}

// population is the state of a place.
type population struct {
	total int32
	busy  int32
	last  float64 // when the integrals below were brought up to date
	area  float64 // ∫ total dt
	work  float64 // ∫ busy dt
	in    uint64  // tokens that entered
	lost  uint64  // tokens dropped
}

// stream is the random stream of one concern.
type stream struct {
	name string
	pcg  *rand.PCG
}

// New returns a run with all its streams derived from seed.
func (p *Program) New(seed uint64) *Sim {
	s := &Sim{
		prog:      p,
		clocks:    newClocks(len(p.timers) + len(p.queues) + len(p.windows) + 1),
		slots:     make([]tokens, len(p.slots)),
		places:    make([]population, len(p.places)),
		queues:    make([]server, len(p.queues)),
		timers:    make([]timer, len(p.timers)),
		turns:     make([]int32, len(p.transitions)),
		window:    make([]lookback, len(p.windows)),
		wake:      make([]uint64, p.words),
		wakeTimer: make([]uint64, p.timerWords),
		held:      make([]int32, p.taken),
	}
	s.choice = s.stream("choice")
	for i := range s.timers {
		m := &p.modes[p.timers[i]]
		s.timers[i] = timer{mode: m, rng: s.stream("timer " + p.transitions[m.transition].name + " " + m.name)}
	}
	for i := range s.queues {
		q := &p.queues[i]
		s.queues[i] = server{queue: q, clock: int32(len(p.timers) + i), rng: s.stream("queue " + p.places[q.place].name), waiting: make([]ring, q.classes)}
	}
	for i := range s.window {
		s.window[i].window = &p.windows[i]
	}
	s.Reset(seed)
	return s
}

func (s *Sim) stream(name string) *rand.Rand {
	pcg := rand.NewPCG(0, 0)
	s.streams = append(s.streams, stream{name, pcg})
	return rand.New(pcg)
}

// Reset returns to the first marking with new random streams. Each concern (a
// timed mode, a queue, the choices) has a stream of its own, seeded by seed and
// its name: the same seed gives the same arrivals to any two variants of a net,
// which is what makes their difference sharp.
func (s *Sim) Reset(seed uint64) {
	for _, st := range s.streams {
		h := fnv.New64a()
		h.Write([]byte(st.name))
		// Both words of the state have to differ between seeds: streams that share
		// the low word share it for ever.
		st.pcg.Seed(mix(seed^h.Sum64()), mix(seed+h.Sum64()))
	}
	s.now, s.events, s.firings, s.still, s.idle = 0, 0, 0, 0, 0
	s.clocks.clear()
	clear(s.places)
	clear(s.turns)
	s.born, s.stamp, s.free = s.born[:0], s.stamp[:0], s.free[:0]
	for i := range s.slots {
		s.slots[i].n = 0
		s.slots[i].fifo.clear()
	}
	for i := range s.timers {
		s.timers[i].clear()
	}
	for i := range s.queues {
		s.queues[i].clear()
	}
	for i := range s.turns {
		s.turns[i] = int32(len(s.prog.transitions[i].modes)) - 1
	}
	s.record.reset(len(s.prog.places), len(s.prog.probes))
	for i := range s.window {
		w := &s.window[i]
		w.busy, w.over = 0, 0
		s.clocks.set(s.windowClock(i), w.every)
	}
	for _, st := range s.prog.starts {
		for range st.n {
			s.deposit(st.slot, s.birth(st.slot))
		}
	}
	for i := range s.wake {
		s.wake[i] = math.MaxUint64
	}
	if spare := uint(s.prog.words*64 - s.prog.immediate); spare > 0 {
		s.wake[s.prog.words-1] >>= spare
	}
	for i := range s.timers {
		mark(s.wakeTimer, i)
	}
}

// mix is the output function of splitmix64 (Steele, Lea and Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *Sim) windowClock(i int) int32 { return int32(len(s.timers) + len(s.queues) + i) }

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
