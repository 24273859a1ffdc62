package net

import "math"

// birth makes a token for a slot, -1 if the slot only counts.
func (s *Sim) birth(at int32) int32 {
	if s.prog.slots[at].plain {
		return -1
	}
	s.record.population(s.now, 1)
	if last := len(s.free) - 1; last >= 0 {
		tok := s.free[last]
		s.free = s.free[:last]
		s.born[tok] = s.now
		s.unstamp(tok)
		return tok
	}
	tok := int32(len(s.born))
	s.born = append(s.born, s.now)
	for range s.prog.probes {
		s.stamp = append(s.stamp, 0)
	}
	s.unstamp(tok)
	return tok
}

// unstamp starts the probes that start at a token's birth; NaN is not started.
func (s *Sim) unstamp(tok int32) {
	n := len(s.prog.probes)
	for i := range s.prog.probes {
		at := math.NaN()
		if s.prog.probes[i].atBirth {
			at = s.now
		}
		s.stamp[int(tok)*n+i] = at
	}
}

// stop ends a probe of a token if it was started.
func (s *Sim) stop(probe, tok int32) {
	stamp := &s.stamp[int(tok)*len(s.prog.probes)+int(probe)]
	if d := s.now - *stamp; d >= 0 {
		s.record.probe(probe, d)
		*stamp = math.NaN()
	}
}

// end is the end of a token at the firing that took it.
func (s *Sim) end(tok int32) {
	for _, probe := range s.prog.ending {
		s.stop(probe, tok)
	}
	s.record.population(s.now, -1)
	s.record.departure(s, s.now-s.born[tok])
	s.free = append(s.free, tok)
}

// touch brings the integrals of a place up to date before it changes.
func (s *Sim) touch(p *population) {
	if dt := s.now - p.last; dt > 0 {
		p.area += dt * float64(p.total)
		p.work += dt * float64(p.busy)
		p.last = s.now
	}
}

// take removes n tokens that were available.
func (s *Sim) take(at, n int32) {
	sl := &s.prog.slots[at]
	s.slots[at].n -= n
	p := &s.places[sl.place]
	s.touch(p)
	p.total -= n
	pl := &s.prog.places[sl.place]
	for w := range s.wake {
		s.wake[w] |= sl.fell[w] | pl.fell[w]
	}
	for w := range s.wakeTimer {
		s.wakeTimer[w] |= sl.moved[w] | pl.moved[w]
	}
}

// leave lets the probes know that a token left the place of a slot.
func (s *Sim) leave(at, tok int32) {
	for _, probe := range s.prog.places[s.prog.slots[at].place].stops {
		s.stop(probe, tok)
	}
}

// deposit puts one token into the place of a slot; tok is −1 for a plain one.
func (s *Sim) deposit(at, tok int32) {
	sl := &s.prog.slots[at]
	pl := &s.prog.places[sl.place]
	p := &s.places[sl.place]
	if pl.drop && pl.capacity > 0 && p.total >= pl.capacity {
		p.lost++
		if tok >= 0 {
			s.record.population(s.now, -1)
			s.free = append(s.free, tok)
		}
		return
	}
	s.touch(p)
	p.total++
	p.in++
	if tok >= 0 {
		for _, probe := range pl.starts {
			s.stamp[int(tok)*len(s.prog.probes)+int(probe)] = s.now
		}
	}
	for w := range s.wakeTimer {
		s.wakeTimer[w] |= pl.moved[w]
	}
	if pl.queue >= 0 {
		s.enqueue(&s.queues[pl.queue], p, entry{at, tok})
		return
	}
	s.release(at, tok)
}

// release makes a token available to the transitions.
func (s *Sim) release(at, tok int32) {
	sl := &s.prog.slots[at]
	st := &s.slots[at]
	st.n++
	if tok >= 0 {
		st.fifo.push(entry{at, tok})
	}
	for w := range s.wake {
		s.wake[w] |= sl.rose[w]
	}
	for w := range s.wakeTimer {
		s.wakeTimer[w] |= sl.moved[w]
	}
}
