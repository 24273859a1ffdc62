package report

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"edgebench/analysis"
)

// maxFunctionRows bounds the table on a terminal, maxHTMLFunctions that of the
// page; summary.json has them all.
const (
	maxFunctionRows  = 10
	maxHTMLFunctions = 1000
	maxNameWidth     = 40
)

// busiest are the functions with the most requests, at most that many, those of
// equal number in the order of the run.
func busiest(s *analysis.Summary, most int) (top []analysis.Function, rest []analysis.Function) {
	sorted := slices.Clone(s.Functions)
	slices.SortStableFunc(sorted, func(a, b analysis.Function) int { return cmp.Compare(b.Counts.Scheduled, a.Counts.Scheduled) })
	n := min(most, len(sorted))
	return sorted[:n], sorted[n:]
}

// together sums the counts of some functions. Quantiles cannot be summed.
func together(functions []analysis.Function) (c analysis.Counts) {
	for _, f := range functions {
		c.Scheduled += f.Counts.Scheduled
		c.Sent += f.Counts.Sent
		c.Dropped += f.Counts.Dropped
		c.OK += f.Counts.OK
		c.Errors += f.Counts.Errors
		c.OpenAtEnd += f.Counts.OpenAtEnd
	}
	return c
}

func (p *printer) functions(s *analysis.Summary) {
	if len(s.Functions) == 0 {
		return
	}
	top, rest := busiest(s, maxFunctionRows)
	g := grid{left: 1, rules: map[int]bool{6: true}}
	g.add("function", "sched", "sent", "ok", "err", "drop", "p50", "p99", "max")
	troubled := map[int]bool{}
	row := func(name string, c analysis.Counts, times ...string) {
		troubled[len(g.rows)] = c.Errors+c.Dropped+c.OpenAtEnd > 0
		g.add(append([]string{name, count(c.Scheduled), count(c.Sent), count(c.OK), count(c.Errors), count(c.Dropped)}, times...)...)
	}
	for _, f := range top {
		row(shortened(f.Name), f.Counts, duration(f.Response.P50NS), duration(f.Response.P99NS), duration(f.Response.MaxNS))
	}
	if len(rest) > 0 {
		row(fmt.Sprintf("%s more", count(uint64(len(rest)))), together(rest))
	}
	p.table(g, troubled)
	p.line("")
}

// nanoseconds is what a table sorts a time by; what has none comes first.
func nanoseconds(ns *int64) int64 {
	if ns == nil {
		return -1
	}
	return *ns
}

// shortened keeps a long name's end, which is what tells it from others.
func shortened(name string) string {
	n := utf8.RuneCountInString(name)
	if n <= maxNameWidth {
		return name
	}
	return "…" + string([]rune(name)[n-maxNameWidth+1:])
}
