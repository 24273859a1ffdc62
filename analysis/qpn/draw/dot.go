package draw

import (
	"bufio"
	"fmt"
	"io"

	"edgebench/analysis/qpn/net"
)

// DOT writes a net in Graphviz's language, with the shapes of SVG.
func DOT(w io.Writer, n *net.Net) error {
	if _, err := net.Compile(n); err != nil {
		return err
	}
	g := fold(n)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "digraph %q {\n\trankdir=LR\n", g.name)
	for i, nd := range g.nodes {
		shape := [...]string{"shape=circle", `shape=circle, style="wedged", fillcolor="white:grey90"`,
			"shape=box, width=0.1, style=filled, fillcolor=black, fontcolor=black", "shape=box, width=0.15", "shape=box, style=rounded"}[nd.kind]
		rings := 1
		if nd.count > 1 {
			rings = 2
		}
		label := nd.label()
		if nd.note != "" {
			label += "\n" + nd.note
		}
		fmt.Fprintf(out, "\tn%d [%s, peripheries=%d, label=\"\", xlabel=%q]\n", i, shape, rings, label)
	}
	for _, e := range g.edges {
		attributes := [...]string{"", "style=dashed", "arrowhead=odot"}[e.style]
		if e.tokens > 1 {
			if attributes != "" {
				attributes += ", "
			}
			attributes += fmt.Sprintf("label=%d", e.tokens)
		}
		fmt.Fprintf(out, "\tn%d -> n%d [%s]\n", e.from, e.to, attributes)
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}
