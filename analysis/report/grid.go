package report

import (
	"strings"
	"unicode/utf8"
)

// A grid is a table of text whose columns line up. Cells are plain; colour is
// laid over whole lines, where it cannot disturb the widths.
type grid struct {
	left  int // columns from the left that are flush left
	rows  [][]string
	rules map[int]bool // columns with a rule before them
	prose bool         // the last column breaks into lines of the width
	width int
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// lines are the rows, padded to the widest cell of each column.
func (g *grid) lines() []string {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	out := make([]string, len(g.rows))
	for r, row := range g.rows {
		var b strings.Builder
		for i, cell := range row {
			switch {
			case g.rules[i]:
				b.WriteString(" │ ")
			case i > 0:
				b.WriteString("  ")
			}
			if g.prose && i == len(widths)-1 {
				at := utf8.RuneCountInString(b.String())
				b.WriteString(Wrap(cell, at, min(at, g.width/2), g.width))
				continue
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < g.left {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		out[r] = strings.TrimRight(b.String(), " ")
	}
	return out
}
