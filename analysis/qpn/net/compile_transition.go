package net

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"edgebench/analysis/qpn/dist"
)

type lawOf = dist.Law

func (c *compiler) addTransitions() {
	names := map[string]bool{}
	for _, t := range c.net.Transitions {
		if t.Name == "" || names[t.Name] {
			c.fault("transition %q: name empty or used twice", t.Name)
		}
		names[t.Name] = true
		if len(t.Modes) == 0 {
			c.fault("transition %q: no modes", t.Name)
		}
		if t.Servers < 0 || t.Servers > math.MaxInt32 {
			c.fault("transition %q: %d servers", t.Name, t.Servers)
		}
		if t.Choose < Random || t.Choose > Least {
			c.fault("transition %q: unknown choice %d", t.Name, t.Choose)
		}
	}
	if len(names) == 0 {
		c.fault("net %q: no transitions", c.net.Name)
	}
	ordered := slices.Clone(c.net.Transitions)
	slices.SortStableFunc(ordered, func(a, b Transition) int {
		if a.timed() != b.timed() {
			if b.timed() {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Priority, a.Priority)
	})
	for i, t := range ordered {
		if !t.timed() {
			c.immediate = i + 1
		}
		c.addTransition(t)
	}
	for i := range c.immediate {
		level := i + 1
		for level < c.immediate && ordered[level].Priority == ordered[i].Priority {
			level++
		}
		c.transitions[i].level = level
	}
}

// timed reports whether a transition has timers.
func (t *Transition) timed() bool {
	return t.Law != nil || slices.ContainsFunc(t.Modes, func(m Mode) bool { return m.Law != nil })
}

func (c *compiler) addTransition(t Transition) {
	built := transition{name: t.Name, choose: t.Choose, weight: c.weight("transition", t.Name, t.Weight)}
	for _, m := range t.Modes {
		owner := fmt.Sprintf("transition %q", t.Name)
		if m.Name != "" {
			owner += fmt.Sprintf(" mode %q", m.Name)
		}
		at := int32(len(c.modes))
		b := c.buildMode(owner, m)
		b.transition, b.timers = int32(len(c.transitions)), max(t.Servers, 1)
		if t.Infinite {
			b.timers = math.MaxInt32
		}
		built.modes = append(built.modes, at)
		built.unproven = built.unproven || m.WeightOf != nil
		if t.timed() {
			b.law = cmp.Or(m.Law, t.Law)
			c.checkTimed(owner, t, b)
			c.timers = append(c.timers, at)
		} else if len(m.In) == 0 {
			c.fault("%s: immediate and takes nothing: it would fire for ever", owner)
		}
		if t.Choose == Least {
			place, known := c.place[m.Least]
			if !known {
				c.fault("%s: chooses the least of unknown place %q", owner, m.Least)
			}
			b.least = place
		}
		c.modes = append(c.modes, b)
	}
	if len(built.modes) > 0 {
		built.gate = slices.Clone(c.modes[built.modes[0]].need)
		for _, m := range built.modes[1:] {
			built.gate = slices.DeleteFunc(built.gate, func(n need) bool { return !slices.Contains(c.modes[m].need, n) })
		}
	}
	c.transitions = append(c.transitions, built)
}

func (c *compiler) checkTimed(owner string, t Transition, m mode) {
	switch {
	case m.law == nil:
		c.fault("%s: other modes are timed, this one has no law", owner)
	case len(m.in) == 0 && (t.Infinite || t.Servers > 1):
		c.fault("%s: takes nothing, so nothing says how many timers it needs", owner)
	case len(m.in) == 0 && m.law.Mean() == 0:
		c.fault("%s: takes nothing and takes no time: it would fire for ever", owner)
	}
	if m.weightOf != nil {
		c.fault("%s: timed modes race, they have no weights", owner)
	}
}

func (c *compiler) weight(kind, name string, w float64) float64 {
	if w == 0 {
		return 1
	}
	if !(w > 0) || math.IsInf(w, 1) {
		c.fault("%s %q: weight %v: not a finite number above 0", kind, name, w)
	}
	return w
}

func (c *compiler) buildMode(owner string, m Mode) mode {
	b := mode{name: m.Name, weight: c.weight(owner+" mode", m.Name, m.Weight), weightOf: m.WeightOf}
	gain := map[int32]int32{}
	for _, a := range m.In {
		if at := c.slotOf(owner, a.Place, a.Colour); at >= 0 {
			n := need{at, c.count(owner, a.N), c.slots[at].plain}
			b.in = append(b.in, n)
			b.require(n, true)
			gain[c.slots[at].place] -= n.n
		}
	}
	for _, a := range m.Test {
		if at := c.slotOf(owner, a.Place, a.Colour); at >= 0 {
			b.require(need{at, c.count(owner, a.N), c.slots[at].plain}, false)
		}
	}
	for _, a := range m.Inhibit {
		c.inhibit(owner, &b, a)
	}
	for _, a := range m.Out {
		if at := c.slotOf(owner, a.Place, a.Colour); at >= 0 {
			p := put{at, c.count(owner, a.N), c.slots[at].plain}
			b.out = append(b.out, p)
			gain[c.slots[at].place] += p.n
		}
	}
	for at, n := range gain {
		if p := &c.places[at]; p.capacity > 0 && !p.drop && n > 0 {
			if n > p.capacity {
				c.fault("%s: puts %d tokens into place %q, which holds %d", owner, n, p.name, p.capacity)
			}
			b.limits = append(b.limits, limit{at, p.capacity - n})
		}
	}
	slices.SortFunc(b.limits, func(x, y limit) int { return cmp.Compare(x.at, y.at) })
	c.route(&b, m)
	return b
}

// require notes tokens that must be there: those taken add up, those only
// tested do not.
func (m *mode) require(n need, taken bool) {
	for i := range m.need {
		if m.need[i].slot == n.slot {
			if taken {
				m.need[i].n += n.n
			} else {
				m.need[i].n = max(m.need[i].n, n.n)
			}
			return
		}
	}
	m.need = append(m.need, n)
}

func (c *compiler) inhibit(owner string, b *mode, a Arc) {
	n := c.count(owner, a.N)
	if a.Colour != "" {
		if at := c.slotOf(owner, a.Place, a.Colour); at >= 0 {
			b.fewer = append(b.fewer, limit{at, n - 1})
		}
		return
	}
	at, known := c.place[a.Place]
	if !known {
		c.fault("%s: unknown place %q", owner, a.Place)
		return
	}
	b.limits = append(b.limits, limit{at, n - 1})
}

// route fixes which identity goes where (see the package comment).
func (c *compiler) route(b *mode, m Mode) {
	var taken []int32 // colour of each identity taken
	for _, n := range b.in {
		if !n.plain {
			for range n.n {
				taken = append(taken, c.slots[n.slot].colour)
			}
		}
	}
	used := make([]bool, len(taken))
	from := map[int32]int{} // where the search for a colour goes on; arcs can be wide
	claim := func(colour int32) int32 {
		for i := from[colour]; i < len(taken); i++ {
			if !used[i] && (colour < 0 || taken[i] == colour) {
				used[i], from[colour] = true, i+1
				return int32(i)
			}
		}
		from[colour] = len(taken)
		return -1
	}
	const unclaimed = -2
	for i, p := range b.out {
		for range p.n {
			switch {
			case p.plain:
			case m.Out[i].New:
				b.sources = append(b.sources, -1)
			default:
				source := claim(c.slots[p.slot].colour)
				if source < 0 {
					source = unclaimed
				}
				b.sources = append(b.sources, source)
			}
		}
	}
	for i, s := range b.sources {
		if s == unclaimed {
			b.sources[i] = claim(-1)
		}
	}
	for i, u := range used {
		if !u {
			b.ends = append(b.ends, int32(i))
		}
	}
	c.taken = max(c.taken, len(taken))
}

// wire notes, for every change of a marking, whom it may enable.
func (c *compiler) wire() {
	c.words, c.timerWords = (c.immediate+63)/64, (len(c.timers)+63)/64
	for i := range c.slots {
		s := &c.slots[i]
		s.rose, s.fell = make([]uint64, c.words), make([]uint64, c.words)
		s.moved = make([]uint64, c.timerWords)
	}
	for i := range c.places {
		c.places[i].fell, c.places[i].moved = make([]uint64, c.words), make([]uint64, c.timerWords)
	}
	for i := range c.immediate {
		for _, m := range c.transitions[i].modes {
			for _, n := range c.modes[m].need {
				mark(c.slots[n.slot].rose, i)
			}
			for _, l := range c.modes[m].limits {
				mark(c.places[l.at].fell, i)
			}
			for _, l := range c.modes[m].fewer {
				mark(c.slots[l.at].fell, i)
			}
		}
	}
	for i, m := range c.timers {
		for _, n := range c.modes[m].need {
			mark(c.slots[n.slot].moved, i)
		}
		for _, l := range c.modes[m].limits {
			mark(c.places[l.at].moved, i)
		}
		for _, l := range c.modes[m].fewer {
			mark(c.slots[l.at].moved, i)
		}
	}
}

func mark(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }
