package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
)

// builder makes a net from a Spec for one setting of its parameters.
type builder struct {
	f        *faults
	net      *net.Net
	colourOf map[string]string // default colour of each place
	taken    map[string]bool   // names of transitions
	elements int
	capacity float64
	formula  func() (exact.Result, error)
}

// context is where a reading takes place: the names it knows, and whether what
// it reads is left out of the net (then values may be senseless, not wrong).
type context struct {
	scope
	out bool
}

// maxElements bounds what `for` can make of a small file.
const maxElements = 20_000

func (s *Spec) build(sc scope) (*builder, error) {
	b := &builder{f: &faults{file: s.file}, net: &net.Net{Name: s.Name}, colourOf: map[string]string{}, taken: map[string]bool{}}
	root := s.root
	root.f = b.f
	top := root.fields(topKeys...)
	c := context{scope: sc}
	if v, ok := top["colours"]; ok {
		b.colours(v)
	}
	if len(b.net.Colours) == 0 {
		b.net.Colours = []net.Colour{{Name: "request"}}
	}
	for _, v := range top["places"].list(b.f) {
		b.repeat(v, c, b.place)
	}
	for _, v := range top["transitions"].list(b.f) {
		b.repeat(v, c, b.transition)
	}
	for _, v := range top["windows"].list(b.f) {
		b.repeat(v, c, b.window)
	}
	for _, v := range top["probes"].list(b.f) {
		b.probe(v)
	}
	b.readCapacity(top, c)
	b.readExact(top, c)
	if err := b.f.err(); err != nil {
		return nil, err
	}
	if _, err := net.Compile(b.net); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return b, nil
}

// list is items of a value that may be missing.
func (v value) list(f *faults) []value {
	if v.node == nil {
		return nil
	}
	v.f = f
	return v.items()
}

func (b *builder) colours(v value) {
	for _, item := range v.items() {
		col := net.Colour{}
		if item.node.Kind == yaml.ScalarNode {
			col.Name = item.text()
		} else {
			fields := item.fields("name", "plain")
			if n, ok := item.required(fields, "name"); ok {
				col.Name = n.text()
			}
			if p, ok := fields["plain"]; ok {
				if col.Plain = p.text() == "true"; !col.Plain && p.text() != "false" {
					p.fault("%q: neither true nor false", p.text())
				}
			}
		}
		b.net.Colours = append(b.net.Colours, col)
	}
}

// repeat reads `for` and `when` of an element and calls read once for each of
// its copies.
func (b *builder) repeat(v value, c context, read func(value, context)) {
	index, count := "", 1
	if v.node.Kind == yaml.MappingNode {
		for name, field := range v.entries() {
			if name == "for" {
				index, count = b.loop(field, c)
			}
		}
	}
	for i := 1; i <= count; i++ {
		if b.elements++; b.elements > maxElements {
			v.fault("the model has more than %d places, transitions and modes", maxElements)
			return
		}
		inner := c
		if index != "" {
			inner.scope = c.with(index, float64(i))
		}
		for name, field := range v.entries() {
			if name == "when" {
				held, ok := b.number(field, inner)
				inner.out = inner.out || !ok || held == 0
			}
		}
		read(v, inner)
	}
}

func (b *builder) loop(v value, c context) (index string, count int) {
	for name, field := range v.entries() {
		if index != "" {
			v.fault("one index only")
		}
		if name == "" || !letter(name[0]) || c.names[name] != (result{}) || c.words[name] {
			v.fault("%q cannot be an index", name)
		}
		index, count = name, b.count(field, c, 0)
	}
	return index, count
}

// number evaluates an expression.
func (b *builder) number(v value, c context) (float64, bool) {
	e, err := parseExpr(v.text())
	if err != nil {
		v.fault("%v", err)
		return 0, false
	}
	n, err := e.number(c.scope)
	if err != nil {
		if _, unknown := e.root(c.scope); unknown != nil || !c.out {
			v.fault("%v", err)
		}
		return 0, false
	}
	return n, true
}

// maxCount bounds whole numbers: servers, tokens, copies.
const maxCount = 1_000_000

// count evaluates a whole number of at least least.
func (b *builder) count(v value, c context, least int) int {
	n, ok := b.number(v, c)
	if ok && !c.out && (n != math.Trunc(n) || n < float64(least) || n > maxCount) {
		v.fault("%q is %v: not a whole number in %d..%d", v.text(), n, least, maxCount)
	}
	if !ok || !(n >= 0 && n <= maxCount) {
		return 0
	}
	return int(n)
}

// word evaluates to the position of one of some words.
func (b *builder) word(v value, c context, words ...string) int {
	e, err := parseExpr(v.text())
	if err == nil {
		var i int
		if i, err = e.word(c.scope, words...); err == nil {
			return i
		}
	}
	v.fault("%v", err)
	return 0
}

// name evaluates the parts in brackets of a name, as in instance[i].
func (b *builder) name(v value, text string, c context) string {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(text, "[")
		out.WriteString(before)
		if !open {
			break
		}
		index, after, closed := strings.Cut(rest, "]")
		e, err := parseExpr(index)
		var n float64
		if err == nil {
			n, err = e.number(c.scope)
		}
		if err != nil || !closed || n != math.Trunc(n) {
			if err == nil {
				err = fmt.Errorf("index %q is no whole number, or not closed", index)
			}
			v.fault("name %q: %v", text, err)
			return out.String()
		}
		fmt.Fprintf(&out, "[%d]", int(n))
		text = after
	}
	if bad := strings.IndexFunc(out.String(), unfit); bad >= 0 || out.Len() == 0 {
		v.fault("name %q: only letters, digits, _, - and [index]", out.String())
	}
	return out.String()
}

func unfit(r rune) bool {
	return !(r < 0x80 && (letter(byte(r)) || digit(byte(r)) || strings.ContainsRune("-[]", r)))
}

// known returns the name of a place, and a fault if there is none of it. What
// is left out of the net may name what is left out too.
func (b *builder) known(v value, text string, c context) (string, bool) {
	name := b.name(v, text, c)
	if _, ok := b.colourOf[name]; !ok && !c.out {
		var names []string
		for _, p := range b.net.Places {
			names = append(names, p.Name)
		}
		if len(names) > 12 {
			names = append(names[:12], "…")
		}
		v.fault("unknown place %q (known: %s)", name, strings.Join(names, ", "))
		return name, false
	}
	return name, true
}

func (b *builder) knownColour(v value, name string) {
	if !slices.ContainsFunc(b.net.Colours, func(c net.Colour) bool { return c.Name == name }) {
		v.fault("unknown colour %q", name)
	}
}
