package jsim

import (
	"strconv"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/net"
)

// transition makes one transition for each mode: modes there may be immediate
// and timed side by side.
func (m *importer) transition(name string, n *element) {
	timing := section(n, "Timing")
	enabling := matrices(section(n, "Enabling").param("enablingConditions"))
	inhibiting := matrices(section(n, "Enabling").param("inhibitingConditions"))
	firing := matrices(section(n, "Firing").param("firingOutcomes"))
	for i, mode := range parts(timing.param("modeNames")) {
		t := net.Transition{Name: name + " " + mode.value()}
		out := net.Mode{Name: mode.value()}
		m.entries(name, at(enabling, i), func(station string, c class, k int) {
			out.In = append(out.In, net.Arc{Place: station, Colour: c.name, N: k})
		})
		m.entries(name, at(inhibiting, i), func(station string, c class, k int) {
			out.Inhibit = append(out.Inhibit, net.Arc{Place: station, Colour: c.name, N: k})
		})
		m.entries(name, at(firing, i), func(station string, c class, k int) {
			for _, a := range m.put(station, c) {
				a.N = k
				out.Out = append(out.Out, a)
			}
		})
		m.timing(name, timing, i, &t)
		t.Modes = []net.Mode{out}
		m.net.Transitions = append(m.net.Transitions, t)
	}
}

func (m *importer) timing(name string, timing *element, i int, t *net.Transition) {
	strategy := at(parts(timing.param("timingStrategies")), i)
	if strategy == nil {
		m.refuse(name, "a mode without timing")
		return
	}
	l, err := law(strategy)
	if err != nil {
		m.refuse(name, "%v", err)
	}
	if l != nil && l != dist.Law(dist.Deterministic{}) { // no time: immediate
		t.Law = l
	}
	servers, err := at(parts(timing.param("numbersOfServers")), i).integer()
	if t.Infinite = err == nil && servers < 0; !t.Infinite {
		t.Servers = servers
	}
	if priority, err := at(parts(timing.param("firingPriorities")), i).integer(); err == nil {
		t.Priority = priority
	}
	if weight, err := strconv.ParseFloat(at(parts(timing.param("firingWeights")), i).value(), 64); err == nil {
		t.Weight = weight
	}
}

// parts are the subParameters of a list.
func parts(list *element) (out []*element) {
	list.each("subParameter", func(e *element) { out = append(out, e) })
	return out
}

// matrices are the lists of vectors of each mode.
func matrices(conditions *element) (out []*element) {
	for _, c := range parts(conditions) {
		vectors := parts(c)
		out = append(out, at(vectors, 0))
	}
	return out
}

func at(list []*element, i int) *element {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// entries calls f with the numbers above 0 of a matrix: station, class, number.
func (m *importer) entries(name string, vectors *element, f func(station string, c class, k int)) {
	for _, vector := range parts(vectors) {
		station := vector.param("stationName").value()
		list := at(parts(vector), 1)
		for _, c := range m.class {
			e := list.of(c.name)
			if e == nil {
				continue
			}
			k, err := e.integer()
			if err != nil || k < 0 {
				m.refuse(name, "number %q at %q", e.value(), station)
				continue
			}
			if k > 0 {
				f(station, c, k)
			}
		}
	}
}
