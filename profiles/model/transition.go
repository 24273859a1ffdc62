package model

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"edgebench/analysis/qpn/net"
)

var arcKeys = []string{"in", "out", "test", "inhibit"}

func (b *builder) transition(v value, c context) {
	fields := v.fields(slices.Concat([]string{"name", "for", "when", "timed", "servers", "timers", "priority", "weight", "choose", "modes"}, arcKeys)...)
	t := net.Transition{}
	if n, ok := v.required(fields, "name"); ok {
		t.Name = b.name(n, n.text(), c)
		if b.taken[t.Name] && !c.out {
			n.fault("a second transition %q", t.Name)
		}
	}
	if l, ok := fields["timed"]; ok {
		t.Law = b.law(l, c)
	}
	if s, ok := fields["servers"]; ok {
		t.Servers = b.count(s, c, 1)
	}
	if s, ok := fields["timers"]; ok {
		t.Infinite = b.word(s, c, "single", "infinite") == 1
	}
	if p, ok := fields["priority"]; ok {
		t.Priority = b.count(p, c, 0)
	}
	t.Weight = b.weight(fields, c)
	if ch, ok := fields["choose"]; ok {
		t.Choose = net.Choice(b.word(ch, c, "random", "first", "round-robin", "rotation", "least"))
	}
	if modes, ok := fields["modes"]; ok {
		for _, key := range arcKeys {
			if a, both := fields[key]; both {
				a.fault("belongs into the modes")
			}
		}
		for _, m := range modes.items() {
			b.repeat(m, c, func(v value, c context) { b.mode(v, c, &t) })
		}
	} else {
		t.Modes = []net.Mode{b.arcs(fields, c)}
	}
	if !c.out {
		b.taken[t.Name] = true
		b.net.Transitions = append(b.net.Transitions, t)
	}
}

func (b *builder) mode(v value, c context, t *net.Transition) {
	fields := v.fields(slices.Concat([]string{"name", "for", "when", "weight", "least", "timed"}, arcKeys)...)
	m := b.arcs(fields, c)
	if n, ok := fields["name"]; ok {
		m.Name = b.name(n, n.text(), c)
	}
	m.Weight = b.weight(fields, c)
	if l, ok := fields["timed"]; ok {
		m.Law = b.law(l, c)
	}
	if l, ok := fields["least"]; ok {
		m.Least, _ = b.known(l, l.text(), c)
	}
	if !c.out {
		t.Modes = append(t.Modes, m)
	}
}

func (b *builder) weight(fields map[string]value, c context) float64 {
	w, ok := fields["weight"]
	if !ok {
		return 0
	}
	n, ok := b.number(w, c)
	if ok && !c.out && n <= 0 {
		w.fault("weight %v: not above 0", n)
	}
	return n
}

func (b *builder) arcs(fields map[string]value, c context) net.Mode {
	var m net.Mode
	for key, to := range map[string]*[]net.Arc{"in": &m.In, "out": &m.Out, "test": &m.Test, "inhibit": &m.Inhibit} {
		if v, ok := fields[key]; ok {
			for _, item := range v.items() {
				*to = append(*to, b.arc(item, c, key))
			}
		}
	}
	return m
}

// arc reads "place", "2 place", or the long form.
func (b *builder) arc(v value, c context, kind string) net.Arc {
	a := net.Arc{}
	if v.node.Kind == yaml.ScalarNode {
		text := v.text()
		if n, place, two := strings.Cut(text, " "); two {
			count, err := strconv.Atoi(n)
			if err != nil || count < 1 || count > maxCount {
				v.fault("%q: expected a place, or a number and a place", text)
			}
			a.N, text = count, strings.TrimSpace(place)
		}
		a.Place, _ = b.known(v, text, c)
	} else {
		fields := v.fields("place", "colour", "tokens", "new")
		if p, ok := v.required(fields, "place"); ok {
			a.Place, _ = b.known(p, p.text(), c)
		}
		if n, ok := fields["tokens"]; ok {
			a.N = b.count(n, c, 1)
		}
		if col, ok := fields["colour"]; ok {
			a.Colour = col.text()
			b.knownColour(col, a.Colour)
		}
		if n, ok := fields["new"]; ok {
			if a.New = n.text() == "true"; !a.New && n.text() != "false" {
				n.fault("%q: neither true nor false", n.text())
			}
		}
	}
	if a.Colour == "" && kind != "inhibit" { // an inhibitor looks at the whole place
		a.Colour = b.colourOf[a.Place]
	}
	return a
}

func (b *builder) window(v value, c context) {
	fields := v.fields("name", "for", "when", "every", "busy", "over", "above", "put")
	w := net.Window{}
	if n, ok := v.required(fields, "name"); ok {
		w.Name = b.name(n, n.text(), c)
	}
	if e, ok := v.required(fields, "every"); ok {
		w.Every, ok = b.number(e, c)
		if ok && !c.out && w.Every <= 0 {
			e.fault("%v: not above 0", w.Every)
		}
	}
	if a, ok := v.required(fields, "above"); ok {
		w.Above, _ = b.number(a, c)
	}
	for key, to := range map[string]*[]string{"busy": &w.Busy, "over": &w.Over} {
		if list, ok := v.required(fields, key); ok {
			for _, item := range list.items() {
				*to = append(*to, b.family(item, c)...)
			}
		}
	}
	if p, ok := v.required(fields, "put"); ok {
		for _, item := range p.items() {
			w.Put = append(w.Put, b.arc(item, c, "out"))
		}
	}
	if !c.out {
		b.net.Windows = append(b.net.Windows, w)
	}
}

// family reads a place, or with [*] all places that differ in that index.
func (b *builder) family(v value, c context) []string {
	stem, after, all := strings.Cut(v.text(), "[*]")
	if !all {
		name, _ := b.known(v, v.text(), c)
		return []string{name}
	}
	var out []string
	for _, p := range b.net.Places {
		rest, ok := strings.CutPrefix(p.Name, stem+"[")
		if _, tail, closed := strings.Cut(rest, "]"); ok && closed && tail == after {
			out = append(out, p.Name)
		}
	}
	if out == nil && !c.out {
		v.fault("no place is called %s", v.text())
	}
	return out
}

func (b *builder) probe(v value) {
	fields := v.fields("name", "from", "to")
	p := net.Probe{}
	if n, ok := v.required(fields, "name"); ok {
		p.Name = n.text()
	}
	for key, to := range map[string]*string{"from": &p.From, "to": &p.To} {
		if end, ok := fields[key]; ok {
			*to, _ = b.known(end, end.text(), context{})
		}
	}
	b.net.Probes = append(b.net.Probes, p)
}
