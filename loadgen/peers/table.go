package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"edgebench/loadgen/peers/tool"
)

// A cell is what a table shows of one generator in one row.
type cell struct {
	value  float64
	known  bool
	ratio  float64 // how many times better ours is; 0 where there is none
	behind bool    // the rate was not kept
	fault  string
}

// cellOf answers one question, with the ratio to ours.
func (r *results) cellOf(w row, toolName string) cell {
	records := r.of(w.part, toolName, w.rate)
	var c cell
	if c.value, c.known = medianOf(records, w.pick); !c.known {
		c.fault = fault(records)
		return c
	}
	if w.alone { // it is compared with the truth
		return c
	}
	c.behind = w.rate > 0 && r.isBehind(w.part, toolName, w.rate)
	ours, known := medianOf(r.of(w.part, tool.Ours, w.rate), w.pick)
	oursBehind := w.rate > 0 && r.isBehind(w.part, tool.Ours, w.rate)
	if !known || toolName == tool.Ours || c.behind || oursBehind || c.value == 0 || ours == 0 {
		return c
	}
	if c.ratio = c.value / ours; w.more {
		c.ratio = ours / c.value
	}
	return c
}

func (c cell) text(w row) string {
	switch {
	case c.fault != "":
		return "failed"
	case !c.known:
		return "–"
	}
	text := w.format(c.value)
	if c.behind {
		text += "*"
	}
	if c.ratio > 0 {
		text += fmt.Sprintf(" (%s×)", ratio(c.ratio))
	}
	return text
}

// ratio has as many digits as it deserves.
func ratio(v float64) string {
	if v >= 10 {
		return whole(v)
	}
	return fmt.Sprintf("%.2g", v)
}

// columns are the generators of the table, those without an open loop last.
func (r *results) columns() []tool.Tool {
	return slices.DeleteFunc(slices.Clone(r.tools), func(t tool.Tool) bool { return r.Missing[t.Name] != "" })
}

// table is the comparison in Markdown, which a terminal shows as well.
func (r *results) table() string {
	head := []string{"", "wanted"}
	for _, t := range r.columns() {
		head = append(head, t.Name)
	}
	lines := [][]string{head}
	for _, w := range rows(r.plan) {
		line, known := []string{w.label, w.wanted}, false
		for _, t := range r.columns() {
			c := r.cellOf(w, t.Name)
			known = known || c.known || c.fault != ""
			line = append(line, c.text(w))
		}
		if known { // a part that was not played leaves no empty rows
			lines = append(lines, line)
		}
	}
	return markdown(lines)
}

// markdown lays lines out in columns as wide as they need to be; the first is
// the heading.
func markdown(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i < 2 {
				fmt.Fprintf(&b, "| %s%s ", text, pad)
			} else {
				fmt.Fprintf(&b, "| %s%s ", pad, text)
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			for i, width := range widths {
				rule := strings.Repeat("-", width+1)
				if i < 2 {
					fmt.Fprintf(&b, "|%s-", rule)
				} else {
					fmt.Fprintf(&b, "|%s:", rule)
				}
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}
