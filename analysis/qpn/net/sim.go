package net

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
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
