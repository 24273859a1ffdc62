package net

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// timer is the state of one timed mode.
type timer struct {
	mode    *mode
	rng     *rand.Rand
	running bool

	// Of modes with several timers: one job a timer, its slot the order in which it began.
	jobs  jobs
	begun int32
}

func (t *timer) clear() { t.running, t.jobs, t.begun = false, t.jobs[:0], 0 }

// fireTimer fires the mode whose clock is due.
func (s *Sim) fireTimer(clock int32) {
	t := &s.timers[clock]
	if t.mode.timers > 1 {
		t.jobs.pop()
	}
	t.running = false
	s.clocks.set(clock, math.Inf(1))
	mark(s.wakeTimer, int(clock))
	s.fire(t.mode)
}

// retimeAll starts and stops the timers whose enabling may have changed.
func (s *Sim) retimeAll() {
	for w := range s.wakeTimer {
		for s.wakeTimer[w] != 0 {
			i := w*64 + bits.TrailingZeros64(s.wakeTimer[w])
			s.wakeTimer[w] &^= 1 << (i % 64)
			s.retime(int32(i))
		}
	}
}

func (s *Sim) retime(clock int32) {
	t := &s.timers[clock]
	on := s.enabled(t.mode)
	if t.mode.timers > 1 {
		s.retimeSeveral(clock, t, on)
		return
	}
	if on == t.running {
		return
	}
	at := math.Inf(1)
	if on {
		at = s.now + t.mode.law.Sample(t.rng)
	}
	t.running = on
	s.clocks.set(clock, at)
}

// retimeSeveral gives the mode as many timers as its inputs allow. When there
// are too many the youngest are forgotten: their tokens are those that left.
func (s *Sim) retimeSeveral(clock int32, t *timer, on bool) {
	want := 0
	if on {
		want = t.mode.timers
		for _, n := range t.mode.in {
			want = min(want, int(s.slots[n.slot].n/n.n))
		}
	}
	for len(t.jobs) < want {
		t.begun++
		t.jobs.push(job{at: s.now + t.mode.law.Sample(t.rng), slot: t.begun})
	}
	for len(t.jobs) > want {
		youngest := 0
		for i, j := range t.jobs {
			if j.slot-t.jobs[youngest].slot > 0 { // survives wrap-around
				youngest = i
			}
		}
		t.jobs.remove(youngest)
	}
	at := math.Inf(1)
	if len(t.jobs) > 0 {
		at = t.jobs[0].at
	}
	s.clocks.set(clock, at)
}

// lookback is the state of a window.
type lookback struct {
	*window
	busy, over float64 // the integrals at the end of the last period
}

// lookBack ends a period of a window.
func (s *Sim) lookBack(w *lookback, clock int32) {
	busy, over := 0.0, 0.0
	for _, at := range w.window.busy {
		s.touch(&s.places[at])
		busy += s.places[at].work
	}
	for _, at := range w.window.over {
		s.touch(&s.places[at])
		over += s.places[at].area
	}
	if gained := over - w.over; gained > 0 && busy-w.busy > w.above*gained {
		s.firings++
		for _, p := range w.put {
			for range p.n {
				s.deposit(p.slot, s.birth(p.slot))
			}
		}
	}
	w.busy, w.over = busy, over
	s.clocks.set(clock, s.now+w.every)
}
