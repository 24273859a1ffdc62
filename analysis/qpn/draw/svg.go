package draw

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"

	"edgebench/analysis/qpn/net"
)

// Distances in pixels.
const (
	columnWidth = 150
	rowHeight   = 96
	margin      = 70
	radius      = 20
	barHeight   = 44
)

const styleSheet = `<style>
svg{background:#fff}
.ink{stroke:#1d2733;fill:none;stroke-width:1.5}
.face{fill:#fff;stroke:#1d2733;stroke-width:1.5}
.bar{fill:#1d2733}
.head{fill:#1d2733}
.dash{stroke-dasharray:4 4}
text{font:12px system-ui,sans-serif;fill:#1d2733;text-anchor:middle}
.note{font-size:10.5px;fill:#5b6876}
@media(prefers-color-scheme:dark){svg{background:#0d1117}.ink{stroke:#d6dde5}.face{fill:#161b22;stroke:#d6dde5}.bar,.head{fill:#d6dde5}text{fill:#d6dde5}.note{fill:#93a1b0}}
</style>
<defs>
<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>
<marker id="dot" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"><circle class="face" cx="4" cy="4" r="3"/></marker>
</defs>
`

// SVG draws a net: circles are places (with a bar: they have a queue), black
// bars immediate transitions, open bars timed ones; dashed arcs only look, arcs
// with a ring inhibit; a double outline is a family.
func SVG(w io.Writer, n *net.Net) error {
	if _, err := net.Compile(n); err != nil {
		return err
	}
	g := fold(n)
	l := arrange(g)
	low, high := l.extent()
	p := &pen{Writer: bufio.NewWriter(w), l: l, middle: margin - low*rowHeight}
	width, height := float64(2*margin+(l.width-1)*columnWidth), 2*margin+(high-low)*rowHeight
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="net %s">`+"\n",
		width, height, width, height, html.EscapeString(g.name))
	p.printf("%s", styleSheet)
	for i, e := range g.edges {
		p.edge(g, e, l.paths[i])
	}
	for i, nd := range g.nodes {
		p.node(nd, i)
	}
	p.printf("</svg>\n")
	return p.Flush()
}

// extent is the range of rows in use.
func (l *layout) extent() (low, high float64) {
	for _, s := range l.spots {
		low, high = min(low, s.row), max(high, s.row)
	}
	return low, high
}

type pen struct {
	*bufio.Writer
	l      *layout
	middle float64
}

// printf writes; Flush reports the first fault.
func (p *pen) printf(format string, args ...any) { fmt.Fprintf(p.Writer, format, args...) }

func (p *pen) at(spot int) (x, y float64) {
	s := p.l.spots[spot]
	return margin + float64(s.layer)*columnWidth, p.middle + s.row*rowHeight
}

func (p *pen) node(n node, i int) {
	x, y := p.at(i)
	family := n.count > 1
	switch n.kind {
	case place, queue:
		if family {
			p.printf(`<circle class="face" cx="%.1f" cy="%.1f" r="%d"/>`, x, y, radius+4)
		}
		p.printf(`<circle class="face" cx="%.1f" cy="%.1f" r="%d"/>`, x, y, radius)
		if n.kind == queue { // above the bar the queue, below it the served
			half := math.Sqrt(radius*radius - 36)
			p.printf(`<path class="ink" d="M%.1f %.1fH%.1f"/>`, x-half, y+6, x+half)
		}
	case window:
		p.printf(`<rect class="face" x="%.1f" y="%.1f" width="56" height="%d" rx="8"/>`, x-28, y-radius, 2*radius)
	default:
		wide, class := 4.0, "bar"
		if n.kind == timed {
			wide, class = 7, "face"
		}
		if family {
			p.printf(`<rect class="face" x="%.1f" y="%.1f" width="%.1f" height="%d"/>`, x-wide-4, y-barHeight/2-4, 2*wide+8, barHeight+8)
		}
		p.printf(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d"/>`, class, x-wide, y-barHeight/2, 2*wide, barHeight)
	}
	p.printf(`<text x="%.1f" y="%.1f">%s</text>`, x, y-radius-12, html.EscapeString(n.label()))
	if n.note != "" {
		p.printf(`<text class="note" x="%.1f" y="%.1f">%s</text>`, x, y+radius+18, html.EscapeString(n.note))
	}
	p.printf("\n")
}

// reach is how far the outline of a node is from its middle, sideways.
func reach(n node) float64 {
	var r float64
	switch n.kind {
	case place, queue:
		r = radius
	case window:
		r = 28
	case timed:
		r = 7
	default:
		r = 4
	}
	if n.count > 1 {
		r += 4
	}
	return r
}

// edge draws a curve through the bends, level at each of them.
func (p *pen) edge(g *graph, e edge, path []int) {
	class, marker := "ink", "arrow"
	switch e.style {
	case test:
		class = "ink dash"
	case inhibit:
		marker = "dot"
	}
	x, y := p.at(path[0])
	x2, _ := p.at(path[1])
	x += math.Copysign(reach(g.nodes[e.from]), x2-x)
	p.printf(`<path class="%s" marker-end="url(#%s)" d="M%.1f %.1f`, class, marker, x, y)
	for i, s := range path[1:] {
		nx, ny := p.at(s)
		if i == len(path)-2 {
			nx -= math.Copysign(reach(g.nodes[e.to]), nx-x)
		}
		middle := (x + nx) / 2
		p.printf(` C%.1f %.1f %.1f %.1f %.1f %.1f`, middle, y, middle, ny, nx, ny)
		x, y = nx, ny
	}
	p.printf(`"/>`)
	if e.tokens > 1 {
		ax, ay := p.at(path[0])
		bx, by := p.at(path[1])
		p.printf(`<text class="note" x="%.1f" y="%.1f">%d</text>`, (ax+bx)/2, (ay+by)/2-5, e.tokens)
	}
	p.printf("\n")
}
