// Package jsim imports models of the Java Modelling Tools (.jsim, .jsimg) as far
// as they can be expressed as a net.Net.
//
// Imported: open classes, closed classes with a preload; sources, sinks; queues
// with FCFS, LIFO or priority order, any number of servers, processor sharing,
// delays, finite queues that drop; routers; routing at random, by probability, in
// turn, to the shortest queue; places; transitions with modes, enabling and
// inhibiting numbers, priorities, weights, several servers; exponential,
// hyperexponential, Erlang, deterministic and uniform times.
//
// Not imported, each an error that names the station: fork and join, class
// switches, semaphores, scalers, loggers, finite capacity regions, load-dependent,
// preemptive, shortest-first and polling servers, blocking, other routing and other
// distributions. Measures and simulation settings are left aside.
//
// A closed class has no end; its response time is the time from one visit of its
// reference station to the next.
package jsim

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"edgebench/analysis/qpn/net"
)

// Import reads a model. The error lists everything that is not supported.
func Import(r io.Reader) (*net.Net, error) {
	sim, err := decode(r)
	if err != nil {
		return nil, err
	}
	m := &importer{sim: sim, net: &net.Net{Name: sim.attr("name")}, kinds: map[string]kind{}, targets: map[string][]string{}}
	m.classes()
	m.connections()
	sim.each("node", func(n *element) { m.kinds[n.attr("name")] = m.classify(n) })
	sim.each("node", m.node)
	m.preload()
	for _, unknown := range []string{"blockingRegion"} {
		sim.each(unknown, func(e *element) { m.refuse(e.attr("name"), "finite capacity region") })
	}
	if err := errors.Join(m.faults...); err != nil {
		return nil, err
	}
	if _, err := net.Compile(m.net); err != nil {
		return nil, fmt.Errorf("jsim: %w", err)
	}
	return m.net, nil
}

// kind of a station.
type kind int

const (
	unsupported kind = iota
	source
	sink
	queue
	delay
	router
	place
	transition
)

// kinds by the classes of a station's sections.
var stations = map[string]kind{
	"RandomSource ServiceTunnel Router": source,
	"JobSink":                           sink,
	"Queue Server Router":               queue,
	"Queue PSServer Router":             queue,
	"Queue Delay Router":                delay,
	"Queue ServiceTunnel Router":        router,
	"Storage ServiceTunnel Linkage":     place,
	"Enabling Timing Firing":            transition,
}

type importer struct {
	sim     *element
	net     *net.Net
	class   []class
	kinds   map[string]kind
	targets map[string][]string
	faults  []error
}

type class struct {
	name, reference string
	closed          bool
	priority        int
}

func (m *importer) refuse(station, format string, args ...any) {
	m.faults = append(m.faults, fmt.Errorf("jsim: station %q: not supported: %s", station, fmt.Sprintf(format, args...)))
}

func (m *importer) classes() {
	m.sim.each("userClass", func(e *element) {
		priority, _ := strconv.Atoi(e.attr("priority")) // absent is 0
		m.class = append(m.class, class{e.attr("name"), e.attr("referenceSource"), e.attr("type") == "closed", priority})
		m.net.Colours = append(m.net.Colours, net.Colour{Name: e.attr("name")})
	})
}

func (m *importer) connections() {
	m.sim.each("connection", func(e *element) {
		from := e.attr("source")
		m.targets[from] = append(m.targets[from], e.attr("target"))
	})
}

func (m *importer) classify(n *element) kind {
	sections := ""
	n.each("section", func(s *element) { sections += " " + s.attr("className") })
	if sections == "" {
		return unsupported
	}
	k := stations[sections[1:]]
	if k == unsupported {
		m.refuse(n.attr("name"), "a station of%s", sections)
	}
	return k
}

func (m *importer) node(n *element) {
	name := n.attr("name")
	switch m.kinds[name] {
	case source:
		m.source(name, n)
	case queue, delay:
		m.queue(name, n)
		m.routes(name, n)
	case router:
		m.net.Places = append(m.net.Places, net.Place{Name: name})
		m.routes(name, n)
	case place:
		m.place(name, n)
	case transition:
		m.transition(name, n)
	}
}

// put is the arc into a station; none for a sink. A closed customer that comes
// to its reference station begins a new life.
func (m *importer) put(station string, c class) []net.Arc {
	switch m.kinds[station] {
	case sink, unsupported: // unsupported ones are refused already
		return nil
	}
	return []net.Arc{{Place: station, Colour: c.name, New: c.closed && c.reference == station}}
}

// preload puts the customers that are there at first.
func (m *importer) preload() {
	preload := m.sim.child("preload", "")
	preload.each("stationPopulations", func(s *element) {
		s.each("classPopulation", func(p *element) {
			n, err := strconv.Atoi(p.attr("population"))
			if err != nil || n < 0 {
				m.refuse(s.attr("stationName"), "population %q", p.attr("population"))
				return
			}
			for i := range m.net.Places {
				if to := &m.net.Places[i]; to.Name == s.attr("stationName") {
					to.Initial = append(to.Initial, net.Tokens{Colour: p.attr("refClass"), N: n})
				}
			}
		})
	})
}
