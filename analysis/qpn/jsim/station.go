package jsim

import (
	"fmt"
	"strconv"

	"edgebench/analysis/qpn/net"
)

// section returns the section of a class.
func section(n *element, class string) *element {
	var found *element
	n.each("section", func(s *element) {
		if s.attr("className") == class {
			found = s
		}
	})
	return found
}

// source makes, for each class that arrives here, a timed transition, and a
// place to choose the way from.
func (m *importer) source(name string, n *element) {
	strategies := section(n, "RandomSource").param("ServiceStrategy")
	used := false
	for _, c := range m.class {
		strategy := strategies.of(c.name)
		if c.closed || c.reference != name || strategy == nil {
			continue
		}
		gap, err := law(strategy)
		if err != nil {
			m.refuse(name, "%v", err)
			continue
		}
		if gap == nil {
			continue
		}
		used = true
		m.net.Transitions = append(m.net.Transitions, net.Transition{
			Name: fmt.Sprintf("%s arrive %s", name, c.name), Law: gap,
			Modes: []net.Mode{{Out: []net.Arc{{Place: name, Colour: c.name}}}}})
	}
	if used {
		m.net.Places = append(m.net.Places, net.Place{Name: name})
		m.routes(name, n)
	}
}

func (m *importer) queue(name string, n *element) {
	q := &net.Queue{Discipline: net.IS}
	p := net.Place{Name: name, Queue: q}
	service := section(n, "Delay")
	if m.kinds[name] == queue {
		if service = section(n, "Server"); service == nil {
			service = section(n, "PSServer")
		}
		q.Discipline = m.discipline(name, n)
		servers, err := service.param("maxJobs").integer()
		if err != nil || servers < 1 {
			m.refuse(name, "%q servers", service.param("maxJobs").value())
		}
		q.Servers = servers
	}
	for _, c := range m.class {
		strategy := service.param("ServiceStrategy").of(c.name)
		if strategy == nil {
			continue
		}
		l, err := law(strategy)
		if err != nil {
			m.refuse(name, "%v", err)
		}
		if l != nil {
			q.Service = append(q.Service, net.Service{Colour: c.name, Law: l, Priority: c.priority})
		}
	}
	if size, err := section(n, "Queue").param("size").integer(); err == nil && size > 0 {
		p.Capacity, p.Overflow = size, net.Drop
		for _, c := range m.class {
			if rule := section(n, "Queue").param("dropStrategies").of(c.name); rule != nil && rule.value() != "drop" {
				m.refuse(name, "%s at a full queue", rule.value())
			}
		}
	}
	m.net.Places = append(m.net.Places, p)
}

func (m *importer) discipline(name string, n *element) net.Discipline {
	if ps := section(n, "PSServer"); ps != nil {
		for _, c := range m.class {
			if s := ps.param("PSStrategy").of(c.name); s != nil && s.class() != "EPSStrategy" {
				m.refuse(name, "%s", s.class())
			}
		}
		return net.PS
	}
	found := net.FCFS
	section(n, "Queue").each("parameter", func(p *element) {
		if p.attr("array") != "true" && p.attr("name") != "size" && p.class() != "FCFSstrategy" {
			m.refuse(name, "%s", p.class())
		}
	})
	for _, c := range m.class {
		put := section(n, "Queue").param("QueuePutStrategy").of(c.name)
		if put == nil {
			continue
		}
		switch put.class() {
		case "TailStrategy":
		case "HeadStrategy":
			found = net.LIFO
		case "TailStrategyPriority":
			found = net.Priority
		default:
			m.refuse(name, "%s", put.class())
		}
	}
	return found
}

// routes makes, for each class, the transition that sends it on its way.
func (m *importer) routes(name string, n *element) {
	for _, c := range m.class {
		t := net.Transition{Name: fmt.Sprintf("%s route %s", name, c.name)}
		if !m.visits(name, c) {
			continue
		}
		strategy := section(n, "Router").param("RoutingStrategy").of(c.name)
		probabilities := map[string]float64{}
		if strategy != nil {
			switch strategy.class() {
			case "RandomStrategy":
			case "RoundRobinStrategy":
				t.Choose = net.RoundRobin
			case "ShortestQueueLengthRoutingStrategy":
				t.Choose = net.Least
			case "EmpiricalStrategy":
				probabilities = readProbabilities(strategy)
			case "DisabledRoutingStrategy":
				continue
			default:
				m.refuse(name, "%s", strategy.class())
				continue
			}
		}
		for _, to := range m.targets[name] {
			mode := net.Mode{Name: to, Least: to, In: []net.Arc{{Place: name, Colour: c.name}}, Out: m.put(to, c)}
			if len(probabilities) > 0 {
				if mode.Weight = probabilities[to]; mode.Weight == 0 {
					continue
				}
			}
			t.Modes = append(t.Modes, mode)
		}
		m.net.Transitions = append(m.net.Transitions, t)
	}
}

// visits reports whether a class can be at a place: whether it is served there.
func (m *importer) visits(name string, c class) bool {
	for _, p := range m.net.Places {
		if p.Name != name || p.Queue == nil {
			continue
		}
		for _, s := range p.Queue.Service {
			if s.Colour == c.name {
				return true
			}
		}
		return false
	}
	return true
}

func readProbabilities(strategy *element) map[string]float64 {
	out := map[string]float64{}
	strategy.param("EmpiricalEntryArray").each("subParameter", func(e *element) {
		v, err := strconv.ParseFloat(e.param("probability").value(), 64)
		if err == nil && v > 0 {
			out[e.param("stationName").value()] = v
		}
	})
	return out
}

func (m *importer) place(name string, n *element) {
	p := net.Place{Name: name}
	storage := section(n, "Storage")
	if most, err := storage.param("totalCapacity").integer(); err == nil && most > 0 {
		p.Capacity = most
		for _, c := range m.class {
			switch rule := storage.param("dropRules").of(c.name).value(); rule {
			case "drop":
				p.Overflow = net.Drop
			default:
				m.refuse(name, "%s at a full place", rule)
			}
		}
	}
	for _, c := range m.class {
		if most, err := storage.param("capacities").of(c.name).integer(); err == nil && most > 0 {
			m.refuse(name, "a capacity of one class")
		}
	}
	m.net.Places = append(m.net.Places, p)
}
