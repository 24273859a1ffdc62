package model

import (
	"go.yaml.in/yaml/v3"

	"edgebench/analysis/qpn/net"
)

func (b *builder) place(v value, c context) {
	fields := v.fields("name", "for", "when", "colour", "tokens", "capacity", "overflow", "queue")
	p := net.Place{}
	if n, ok := v.required(fields, "name"); ok {
		p.Name = b.name(n, n.text(), c)
		if _, twice := b.colourOf[p.Name]; twice && !c.out {
			n.fault("a second place %q", p.Name)
		}
	}
	colour := b.net.Colours[0].Name
	if col, ok := fields["colour"]; ok {
		colour = col.text()
		b.knownColour(col, colour)
	}
	if t, ok := fields["tokens"]; ok {
		if n := b.count(t, c, 0); n > 0 {
			p.Initial = []net.Tokens{{Colour: colour, N: n}}
		}
	}
	if most, ok := fields["capacity"]; ok {
		p.Capacity = b.count(most, c, 1)
	}
	if o, ok := fields["overflow"]; ok {
		p.Overflow = net.Reaction(b.word(o, c, "block", "drop"))
	}
	if q, ok := fields["queue"]; ok {
		p.Queue = b.queue(q, colour, c)
	}
	if !c.out {
		b.colourOf[p.Name] = colour
		b.net.Places = append(b.net.Places, p)
	}
}

func (b *builder) queue(v value, colour string, c context) *net.Queue {
	q := &net.Queue{}
	fields := v.fields("discipline", "servers", "service")
	if d, ok := fields["discipline"]; ok {
		q.Discipline = net.Discipline(b.word(d, c, "fcfs", "ps", "is", "lifo", "priority"))
	}
	if s, ok := fields["servers"]; ok {
		q.Servers = b.count(s, c, 1)
	}
	s, ok := v.required(fields, "service")
	if !ok {
		return q
	}
	if s.node.Kind != yaml.SequenceNode {
		q.Service = []net.Service{{Colour: colour, Law: b.law(s, c)}}
		return q
	}
	for _, item := range s.items() {
		fields := item.fields("colour", "law", "priority")
		service := net.Service{Colour: colour}
		if col, ok := fields["colour"]; ok {
			service.Colour = col.text()
			b.knownColour(col, service.Colour)
		}
		if l, ok := item.required(fields, "law"); ok {
			service.Law = b.law(l, c)
		}
		if p, ok := fields["priority"]; ok {
			service.Priority = b.count(p, c, 0)
		}
		q.Service = append(q.Service, service)
	}
	return q
}
