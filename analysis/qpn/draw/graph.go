// Package draw pictures a net: as SVG with a layout of its own, or as DOT for
// Graphviz. Members of a family (instance[1], instance[2], …) are drawn once.
package draw

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"edgebench/analysis/qpn/net"
)

type kind int

const (
	place kind = iota
	queue
	immediate
	timed
	window
)

// node is a place, transition or window, or a family of equal ones.
type node struct {
	name  string
	kind  kind
	count int    // members
	note  string // second line: tokens, servers, law
}

// edge is an arc between two nodes.
type edge struct {
	from, to int
	style    style
	tokens   int
}

type style int

const (
	flow    style = iota
	test          // looked at, not taken
	inhibit       // must be few
)

// graph is a net with its families folded.
type graph struct {
	name  string
	nodes []node
	edges []edge
	index map[string]int
}

var indexed = regexp.MustCompile(`\[\d+\]`)

// family is the name of a node without its index.
func family(name string) string { return indexed.ReplaceAllString(name, "[i]") }

func (g *graph) add(prefix, name string, k kind, note string) {
	key := prefix + family(name)
	at, known := g.index[key]
	if !known {
		at = len(g.nodes)
		g.index[key] = at
		g.nodes = append(g.nodes, node{name: name, kind: k, note: note})
	}
	n := &g.nodes[at]
	if n.count++; n.count > 1 {
		n.name = family(name)
		if n.note != note {
			n.note = "" // members differ
		}
	}
}

func (g *graph) connect(from, to string, s style, tokens int) {
	e := edge{g.index[from], g.index[to], s, max(tokens, 1)}
	if !slices.Contains(g.edges, e) {
		g.edges = append(g.edges, e)
	}
}

// fold makes the graph of a net that compiles.
func fold(n *net.Net) *graph {
	g := &graph{name: n.Name, index: map[string]int{}}
	for _, p := range n.Places {
		k := place
		if p.Queue != nil {
			k = queue
		}
		g.add("p ", p.Name, k, placeNote(p))
	}
	for _, t := range n.Transitions {
		k, note := immediate, ""
		if law := t.Law; law != nil {
			k, note = timed, fmt.Sprintf("mean %.4g", law.Mean())
		}
		g.add("t ", t.Name, k, note)
		for _, m := range t.Modes {
			g.arcs("t "+family(t.Name), m)
		}
	}
	for _, w := range n.Windows {
		g.add("w ", w.Name, window, fmt.Sprintf("every %.4g, above %.4g", w.Every, w.Above))
		for _, p := range w.Busy {
			g.connect("p "+family(p), "w "+family(w.Name), test, 1)
		}
		for _, a := range w.Put {
			g.connect("w "+family(w.Name), "p "+family(a.Place), flow, a.N)
		}
	}
	return g
}

func (g *graph) arcs(transition string, m net.Mode) {
	for _, a := range m.In {
		g.connect("p "+family(a.Place), transition, flow, a.N)
	}
	for _, a := range m.Out {
		g.connect(transition, "p "+family(a.Place), flow, a.N)
	}
	for _, a := range m.Test {
		g.connect("p "+family(a.Place), transition, test, a.N)
	}
	for _, a := range m.Inhibit {
		g.connect("p "+family(a.Place), transition, inhibit, a.N)
	}
}

func placeNote(p net.Place) string {
	var parts []string
	if q := p.Queue; q != nil {
		d := [...]string{"FCFS", "PS", "IS", "LIFO", "priority"}[q.Discipline]
		if q.Discipline != net.IS {
			d = fmt.Sprintf("%s, %d server", d, max(q.Servers, 1))
			if q.Servers > 1 {
				d += "s"
			}
		}
		parts = append(parts, d)
	}
	for _, t := range p.Initial {
		parts = append(parts, fmt.Sprintf("%d at first", t.N))
	}
	if p.Capacity > 0 {
		parts = append(parts, fmt.Sprintf("at most %d", p.Capacity))
	}
	return strings.Join(parts, ", ")
}

// label is the name with the size of the family.
func (n node) label() string {
	if n.count > 1 {
		return fmt.Sprintf("%s, i = 1…%d", n.name, n.count)
	}
	return n.name
}
