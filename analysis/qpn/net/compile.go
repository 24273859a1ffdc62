package net

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Compile checks a net and prepares it to run. The error holds every fault.
func Compile(n *Net) (*Program, error) {
	c := &compiler{net: n, Program: &Program{name: n.Name}, colour: map[string]int32{}, place: map[string]int32{}, slot: map[[2]int32]int32{}}
	c.addColours()
	c.addPlaces()
	c.addTransitions()
	c.addWindows()
	c.addProbes()
	c.addStarts()
	c.checkServices()
	if err := errors.Join(c.faults...); err != nil {
		return nil, err
	}
	c.wire()
	return c.Program, nil
}

// compiler is a Program in the making.
type compiler struct {
	*Program
	net    *Net
	colour map[string]int32
	place  map[string]int32
	slot   map[[2]int32]int32
	faults []error
}

func (c *compiler) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(format, args...))
}

func (c *compiler) addColours() {
	for i, col := range c.net.Colours {
		if _, twice := c.colour[col.Name]; twice || col.Name == "" {
			c.fault("colour %q: name empty or used twice", col.Name)
		}
		c.colour[col.Name] = int32(i)
		c.colours = append(c.colours, col.Name)
	}
	if len(c.net.Colours) == 0 {
		c.fault("net %q: no colours", c.net.Name)
	}
}

func (c *compiler) addPlaces() {
	for i, p := range c.net.Places {
		if _, twice := c.place[p.Name]; twice || p.Name == "" {
			c.fault("place %q: name empty or used twice", p.Name)
		}
		c.place[p.Name] = int32(i)
		if p.Capacity < 0 || p.Capacity > math.MaxInt32 {
			c.fault("place %q: capacity %d: outside 0..%d", p.Name, p.Capacity, math.MaxInt32)
		}
		built := place{name: p.Name, capacity: int32(p.Capacity), drop: p.Overflow == Drop, queue: -1}
		if p.Queue != nil {
			built.queue = int32(len(c.queues))
			c.queues = append(c.queues, c.buildQueue(p, int32(i)))
		}
		c.places = append(c.places, built)
	}
}

func (c *compiler) buildQueue(p Place, at int32) queue {
	q := queue{place: at, discipline: p.Queue.Discipline, servers: int32(max(p.Queue.Servers, 1)), classes: 1}
	if p.Queue.Servers < 0 || p.Queue.Servers > math.MaxInt32 {
		c.fault("place %q: %d servers", p.Name, p.Queue.Servers)
	}
	if q.discipline < FCFS || q.discipline > Priority {
		c.fault("place %q: unknown discipline %d", p.Name, q.discipline)
	}
	q.laws = make([]lawOf, len(c.colours))
	q.class = make([]int32, len(c.colours))
	var ranks []int
	for _, s := range p.Queue.Service {
		if !slices.Contains(ranks, s.Priority) {
			ranks = append(ranks, s.Priority)
		}
	}
	slices.SortFunc(ranks, func(a, b int) int { return cmp.Compare(b, a) })
	for _, s := range p.Queue.Service {
		col, known := c.colour[s.Colour]
		switch {
		case !known:
			c.fault("place %q: service of unknown colour %q", p.Name, s.Colour)
		case s.Law == nil:
			c.fault("place %q: service of colour %q has no law", p.Name, s.Colour)
		case q.laws[col] != nil:
			c.fault("place %q: colour %q has two services", p.Name, s.Colour)
		default:
			q.laws[col] = s.Law
			if q.discipline == Priority {
				q.class[col], q.classes = int32(slices.Index(ranks, s.Priority)), len(ranks)
			}
		}
	}
	return q
}

// slotOf returns the slot of a place and colour, new if need be; -1 and a fault
// if a name is unknown.
func (c *compiler) slotOf(owner, placeName, colourName string) int32 {
	p, okPlace := c.place[placeName]
	col, okColour := c.colour[colourName]
	if !okPlace {
		c.fault("%s: unknown place %q", owner, placeName)
	}
	if !okColour {
		c.fault("%s: unknown colour %q at place %q", owner, colourName, placeName)
	}
	if !okPlace || !okColour {
		return -1
	}
	key := [2]int32{p, col}
	at, known := c.slot[key]
	if !known {
		at = int32(len(c.slots))
		c.slot[key] = at
		c.slots = append(c.slots, slot{place: p, colour: col, plain: c.net.Colours[col].Plain})
	}
	return at
}

// count returns an arc's number of tokens.
func (c *compiler) count(owner string, n int) int32 {
	if n < 0 || n > 1_000_000 {
		c.fault("%s: %d tokens: outside 1..1000000", owner, n)
	}
	return int32(max(n, 1))
}

func (c *compiler) addWindows() {
	for _, w := range c.net.Windows {
		owner := fmt.Sprintf("window %q", w.Name)
		if !(w.Every > 0) || math.IsInf(w.Every, 1) {
			c.fault("%s: period %v: not a finite number above 0", owner, w.Every)
		}
		if math.IsNaN(w.Above) {
			c.fault("%s: threshold NaN", owner)
		}
		built := window{name: w.Name, every: w.Every, above: w.Above}
		for _, name := range w.Busy {
			at, known := c.place[name]
			if !known || c.places[at].queue < 0 {
				c.fault("%s: %q is no place with a queue", owner, name)
			}
			built.busy = append(built.busy, at)
		}
		for _, name := range w.Over {
			at, known := c.place[name]
			if !known {
				c.fault("%s: unknown place %q", owner, name)
			}
			built.over = append(built.over, at)
		}
		for _, a := range w.Put {
			if at := c.slotOf(owner, a.Place, a.Colour); at >= 0 {
				built.put = append(built.put, put{at, c.count(owner, a.N), c.slots[at].plain})
			}
		}
		c.windows = append(c.windows, built)
	}
}

func (c *compiler) addProbes() {
	for i, p := range c.net.Probes {
		c.probes = append(c.probes, probe{p.Name, p.From == "", p.To == ""})
		if p.To == "" {
			c.ending = append(c.ending, int32(i))
		}
		for _, end := range []struct {
			name string
			to   func(*place) *[]int32
		}{
			{p.From, func(p *place) *[]int32 { return &p.starts }},
			{p.To, func(p *place) *[]int32 { return &p.stops }},
		} {
			if end.name == "" {
				continue
			}
			at, known := c.place[end.name]
			if !known {
				c.fault("probe %q: unknown place %q", p.Name, end.name)
				continue
			}
			list := end.to(&c.places[at])
			*list = append(*list, int32(i))
		}
	}
}

func (c *compiler) addStarts() {
	for i, p := range c.net.Places {
		total := 0
		for _, t := range p.Initial {
			owner := fmt.Sprintf("place %q: initial tokens", p.Name)
			if t.N < 0 || t.N > 100_000_000 {
				c.fault("%s: %d: outside 0..100000000", owner, t.N)
			}
			total += t.N
			if at := c.slotOf(owner, p.Name, t.Colour); at >= 0 && t.N > 0 {
				c.starts = append(c.starts, start{at, int32(t.N)})
			}
		}
		if most := int(c.places[i].capacity); most > 0 && total > most {
			c.fault("place %q: %d initial tokens exceed its capacity %d", p.Name, total, most)
		}
	}
}

// checkServices makes sure that every colour that can enter a queue has a law.
func (c *compiler) checkServices() {
	for key := range c.slot {
		p, col := key[0], key[1]
		if q := c.places[p].queue; q >= 0 && c.queues[q].laws[col] == nil {
			c.fault("place %q: colour %q is used there but has no service", c.places[p].name, c.colours[col])
		}
	}
}
