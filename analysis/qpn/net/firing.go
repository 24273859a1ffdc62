package net

import "math/bits"

// settle fires immediate transitions until none is enabled, then brings the
// timers in line with the marking that is left: markings that last no time
// neither start nor stop a timer.
func (s *Sim) settle() error {
	for {
		t := s.pick()
		if t < 0 {
			break
		}
		if s.still++; s.still > stillLimit {
			return s.loop()
		}
		s.fireChosen(t)
	}
	s.retimeAll()
	return nil
}

// pick returns the immediate transition to fire next, -1 for none. Those found
// disabled are not looked at again until a change wakes them.
func (s *Sim) pick() int {
	p := s.prog
	for w := range s.wake {
		for s.wake[w] != 0 {
			t := w*64 + bits.TrailingZeros64(s.wake[w])
			if !s.canFire(t) {
				s.wake[w] &^= 1 << (t % 64)
				continue
			}
			if p.transitions[t].level == t+1 {
				return t
			}
			return s.draw(t)
		}
	}
	return -1
}

// draw chooses by weight among the enabled transitions of the priority of t,
// the first of them.
func (s *Sim) draw(t int) int {
	level, chosen := s.prog.transitions[t].level, t
	total := 0.0
	for other := t; other < level; other++ {
		w, bit := other/64, uint64(1)<<(other%64)
		if s.wake[w]&bit == 0 {
			continue
		}
		if other != t && !s.canFire(other) {
			s.wake[w] &^= bit
			continue
		}
		weight := s.prog.transitions[other].weight
		// One pass, no list: the newcomer wins with its share of the sum so far.
		if total += weight; total > weight && s.choice.Float64()*total < weight {
			chosen = other
		}
	}
	return chosen
}

// canFire reports whether some mode of transition t is enabled. One with
// marking-dependent weights stays awake: nothing announces their change.
func (s *Sim) canFire(t int) bool {
	tr := &s.prog.transitions[t]
	for _, n := range tr.gate {
		if s.slots[n.slot].n < n.n {
			return false
		}
	}
	for _, m := range tr.modes {
		if s.enabled(&s.prog.modes[m]) && (!tr.unproven || s.weigh(&s.prog.modes[m]) > 0) {
			return true
		}
	}
	return false
}

func (s *Sim) enabled(m *mode) bool {
	for i := range m.need {
		if s.slots[m.need[i].slot].n < m.need[i].n {
			return false
		}
	}
	for i := range m.limits {
		if s.places[m.limits[i].at].total > m.limits[i].most {
			return false
		}
	}
	for i := range m.fewer {
		if s.slots[m.fewer[i].at].n > m.fewer[i].most {
			return false
		}
	}
	return true
}

func (s *Sim) weigh(m *mode) float64 {
	if m.weightOf != nil {
		return m.weightOf(Marking{s})
	}
	return m.weight
}

// fireChosen fires the enabled mode of transition t that its choice names.
func (s *Sim) fireChosen(t int) {
	tr := &s.prog.transitions[t]
	chosen := tr.modes[0]
	if len(tr.modes) > 1 {
		chosen = s.choose(t, tr)
	}
	s.fire(&s.prog.modes[chosen])
}

func (s *Sim) choose(t int, tr *transition) int32 {
	switch tr.choose {
	case RoundRobin:
		return s.roundRobin(t, tr)
	case Rotation:
		return s.rotate(t, tr)
	}
	chosen, total, fewest := int32(-1), 0.0, int32(0)
	for _, at := range tr.modes {
		m := &s.prog.modes[at]
		if !s.enabled(m) {
			continue
		}
		switch tr.choose {
		case First:
			return at
		case Least:
			if n := s.places[m.least].total; chosen < 0 || n < fewest {
				chosen, fewest = at, n
			}
		default:
			weight := s.weigh(m)
			if weight <= 0 {
				continue
			}
			if total += weight; chosen < 0 || s.choice.Float64()*total < weight {
				chosen = at
			}
		}
	}
	return chosen
}

// roundRobin goes on from the mode fired last to the next that is enabled.
func (s *Sim) roundRobin(t int, tr *transition) int32 {
	turn := s.turns[t]
	for range tr.modes {
		if turn++; int(turn) == len(tr.modes) {
			turn = 0
		}
		if s.enabled(&s.prog.modes[tr.modes[turn]]) {
			break
		}
	}
	s.turns[t] = turn
	return tr.modes[turn]
}

// rotate goes on to the next position in the list of enabled modes, to the
// first when the list ends.
func (s *Sim) rotate(t int, tr *transition) int32 {
	want, at, first := s.turns[t]+1, int32(0), int32(-1)
	for _, m := range tr.modes {
		if !s.enabled(&s.prog.modes[m]) {
			continue
		}
		if at == want {
			s.turns[t] = want
			return m
		}
		if first < 0 {
			first = m
		}
		at++
	}
	s.turns[t] = 0
	return first
}

// fire moves the tokens of a mode: first all are taken, then all are put.
func (s *Sim) fire(m *mode) {
	s.firings++
	held := 0
	for i := range m.in {
		n := &m.in[i]
		if n.plain {
			s.take(n.slot, n.n)
			continue
		}
		for range n.n {
			s.held[held] = s.slots[n.slot].fifo.first().tok
			s.take(n.slot, 1)
			s.leave(n.slot, s.held[held])
			held++
		}
	}
	source := 0
	for i := range m.out {
		p := &m.out[i]
		for range p.n {
			tok := int32(-1)
			if !p.plain {
				if from := m.sources[source]; from >= 0 {
					tok = s.held[from]
				} else {
					tok = s.birth(p.slot)
				}
				source++
			}
			s.deposit(p.slot, tok)
		}
	}
	for _, i := range m.ends {
		s.end(s.held[i])
	}
}
