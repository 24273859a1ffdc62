package report

import (
	"html/template"
	"io"
	"strings"
)

// A document is a page over several runs, and the same as text: a verdict, then
// chapters.
type document struct {
	Title    string
	Lead     string
	Verdict  string // valid | partial | invalid: its colour
	Says     string // the verdict in words
	Reasons  []string
	Warnings []string
	OfTrials []string // warnings of single trials
	Chapters []chapter
	looks
}

// A chapter is a heading with what follows it, any of it empty.
type chapter struct {
	Title    string
	Lead     string
	Tables   []titledTable
	Charts   []*chart  // interactive,
	Set      *chartSet // and what the script draws them from
	Drawings []drawing
	Notes    []string
	Commands []string
	Facts    []fact
	PageOnly bool // too long for a terminal
}

type titledTable struct {
	Title string
	table
}

// A Drawing is a figure as SVG, made by the figures package and by nobody else:
// it stands in the page as it is.
type Drawing struct {
	Name string // of its file
	Help string // what it shows
	SVG  []byte
}

type drawing struct {
	Name, Help string
	SVG        template.HTML
}

// inline takes the drawing's file into a page: its <svg> element alone.
func (d Drawing) inline() drawing {
	text := string(d.SVG)
	if at := strings.Index(text, "<svg"); at > 0 {
		text = text[at:]
	}
	return drawing{d.Name, d.Help, template.HTML(text)}
}

func inlined(drawings []Drawing) (out []drawing) {
	for _, d := range drawings {
		out = append(out, d.inline())
	}
	return out
}

// Sets are the charts of all chapters.
func (d *document) Sets() []chartSet {
	out := []chartSet{}
	for _, c := range d.Chapters {
		if c.Set != nil {
			out = append(out, *c.Set)
		}
	}
	return out
}

func (d *document) html(w io.Writer) (err error) {
	if d.looks, err = newLooks(); err != nil {
		return err
	}
	return execute(w, "document.tmpl", d)
}

func (d *document) text(o TextOptions) string {
	p := newPrinter(o)
	p.line(p.paint(bold, d.Title) + "   " + d.Lead)
	p.fact("verdict", d.Says)
	for _, r := range d.Reasons {
		p.prose("", r)
	}
	for _, c := range d.Chapters {
		if !c.PageOnly {
			p.chapter(&c)
		}
	}
	for _, w := range d.Warnings {
		p.note("note", w)
	}
	if n := len(d.OfTrials); n > 0 {
		p.note("note", counted(uint64(n), "warning")+" of single trials: on the page")
	}
	return p.b.String()
}

func (p *printer) chapter(c *chapter) {
	p.line("")
	p.line(p.paint(bold, c.Title))
	p.paragraph(c.Lead)
	for _, t := range c.Tables {
		if t.Title != "" {
			p.line("  " + t.Title)
		}
		p.table(t.grid(p.width), nil)
	}
	for _, n := range c.Notes {
		p.paragraph(n)
	}
	for _, code := range c.Commands {
		p.line("  " + code)
	}
	for _, f := range c.Facts {
		p.line("  " + f.Name + ": " + f.Value)
	}
}

// grid is the table as text; columns of words are flush left as far as they
// come first, and prose in the last column breaks into lines of the width.
func (t *table) grid(width int) grid {
	g := grid{width: width}
	row := make([]string, len(t.Head))
	for i, h := range t.Head {
		row[i] = h.Text
		if h.Left && g.left == i {
			g.left++
		}
	}
	g.add(row...)
	for _, r := range t.Rows {
		cells := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			cells[i] = c.Text
			g.prose = g.prose || c.Prose && i == len(r.Cells)-1
		}
		g.add(cells...)
	}
	return g
}
