// Package report shows what analysis found: as text for a terminal and as one
// self-contained HTML file. It computes nothing a reader could dispute; every
// number comes from the summary or straight from the run's own series.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"edgebench/analysis"
	"edgebench/analysis/plain"
	"edgebench/analysis/stats"
)

// TextOptions say how a summary is printed.
type TextOptions struct {
	Colour bool   // ANSI colours; only for a terminal that wants them
	Report string // path of report.html, empty for none
	Width  int    // columns of the terminal, for tables that can be narrower
}

// Bounds of what a terminal is asked to show; the HTML report has the rest.
const (
	maxPhaseRows  = 60
	maxCycleCells = 12
	textWidth     = 96 // the verdict ends here when the title is short
)

// Text is a summary as people read it in a terminal.
func Text(s *analysis.Summary, o TextOptions) string {
	p := newPrinter(o)
	p.title(s)
	p.phases(s)
	p.functions(s)
	p.paths(s)
	for _, m := range s.Measured {
		p.measured(m)
	}
	p.splits(s)
	p.facts(s)
	if o.Report != "" {
		p.fact("report", o.Report)
	}
	p.notes(s)
	return p.b.String()
}

type printer struct {
	b      strings.Builder
	colour bool
	width  int // prose breaks here; tables are as wide as they are
}

func newPrinter(o TextOptions) printer {
	return printer{colour: o.Colour, width: cmp.Or(o.Width, DefaultWidth)}
}

// ANSI colours that are readable on dark and light terminals.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
	bold   = "1"
)

func (p *printer) paint(code, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) line(text string) { p.b.WriteString(text + "\n") }

// factIndent is where the text of a fact begins, and where prose goes on.
const factIndent = 8

// label is the name of a fact, as wide as the others or a blank wider.
func label(name string) string { return fmt.Sprintf("%-*s", max(factIndent, len(name)+1), name) }

// fact is one line of numbers with its name in front.
func (p *printer) fact(name, text string) { p.line(label(name) + text) }

// prose is a text that breaks into lines, with its name in front.
func (p *printer) prose(name, text string) {
	p.line(label(name) + Wrap(text, len(label(name)), factIndent, p.width))
}

// note is prose to be looked at.
func (p *printer) note(name, text string) {
	p.line(p.paint(yellow, label(name)) + Wrap(text, len(label(name)), factIndent, p.width))
}

// paragraph is prose below a heading.
func (p *printer) paragraph(text string) {
	if text != "" {
		p.line("  " + Wrap(text, 2, 2, p.width))
	}
}

func verdictColour(v analysis.Verdict) string {
	switch v {
	case analysis.Valid:
		return green
	case analysis.Partial:
		return yellow
	}
	return red
}

func (p *printer) title(s *analysis.Summary) {
	parts := []string{s.Run.Profile}
	if s.Policy.Name != "" {
		parts = append(parts, "policy "+s.Policy.Name)
	}
	if s.Run.Worker != "" && (s.Run.Worker != "fork" || s.Run.Work != "sleep") { // what is usual needs no words
		parts = append(parts, "worker "+s.Run.Worker, "work "+s.Run.Work)
	}
	if s.Run.Producer == "twin" {
		parts = append(parts, "simulated")
	}
	parts = append(parts, "seed "+strconv.FormatUint(s.Run.Seed, 10), counted(uint64(max(s.Run.Cycles, 0)), "cycle"), clock(s.Run.ElapsedNS))
	title, verdict := strings.Join(parts, "   "), "verdict  "+string(s.Verdict)
	gap := max(textWidth-utf8.RuneCountInString(title)-utf8.RuneCountInString(verdict), 3)
	p.line(p.paint(bold, title) + strings.Repeat(" ", gap) + p.paint(verdictColour(s.Verdict), verdict))
	for _, why := range s.Reasons {
		for _, line := range wrapped(why, p.width-2) {
			p.line("  " + p.paint(verdictColour(s.Verdict), line))
		}
	}
	p.line("")
}

func (p *printer) phases(s *analysis.Summary) {
	marked := s.Paths.Marked() > 0
	g := grid{rules: map[int]bool{7: true}}
	head := []string{"cycle", "phase", "sched", "sent", "ok", "err", "drop"}
	if marked {
		head = append(head, "warm", "queued", "fresh", "fallback")
		g.rules[11] = true
	}
	g.add(append(head, "p50", "p99", "max")...)
	troubled := map[int]bool{}
	left := 0
	for i := range s.Phases {
		ph := &s.Phases[i]
		c := ph.Counts
		if c.Planned == 0 && c.Scheduled == 0 {
			continue // silence
		}
		if len(g.rows) > maxPhaseRows {
			left++
			continue
		}
		row := []string{strconv.Itoa(ph.Cycle), ph.Name, count(c.Scheduled), count(c.Sent), count(c.OK), count(c.Errors), count(c.Dropped)}
		if marked {
			row = append(row, count(ph.Paths.Warm), count(ph.Paths.Queued), count(ph.Paths.Fresh), count(ph.Paths.Fallback))
		}
		troubled[len(g.rows)] = c.Errors+c.Dropped+c.OpenAtEnd > 0
		g.add(append(row, duration(ph.Response.P50NS), duration(ph.Response.P99NS), duration(ph.Response.MaxNS))...)
	}
	// Names are words: flush left, under a heading flush left.
	width := 0
	for _, row := range g.rows {
		width = max(width, utf8.RuneCountInString(row[1]))
	}
	for _, row := range g.rows {
		row[1] += strings.Repeat(" ", width-utf8.RuneCountInString(row[1]))
	}
	p.table(g, troubled)
	if left > 0 {
		p.line(fmt.Sprintf("      … and %s, see report.html and summary.json", counted(uint64(left), "phase")))
	}
	p.line(p.paint(dim, "      p50, p99, max are response times of ok: from the scheduled instant, lag included"))
	p.line("")
}

// table prints a grid under its dim head; rows in which something went wrong
// stand out.
func (p *printer) table(g grid, troubled map[int]bool) {
	for i, line := range g.lines() {
		switch {
		case i == 0:
			line = p.paint(dim, line)
		case troubled[i]:
			line = p.paint(yellow, line)
		}
		p.line(line)
	}
}

// measured compares the cycles of one phase, by the node's mark and by the threshold.
func (p *printer) measured(m analysis.Measured) {
	c := m.All.Cold
	if c.Truth == nil && c.ByThreshold == nil {
		return
	}
	g := grid{left: 1}
	perCycle := len(m.Cycles) <= maxCycleCells
	row := func(name string, each func(*analysis.CycleCold) string, tail ...string) {
		cells := []string{name}
		if perCycle {
			for i := range m.Cycles {
				cells = append(cells, each(&m.Cycles[i]))
			}
		}
		g.add(append(cells, tail...)...)
	}
	row(m.Name, func(c *analysis.CycleCold) string { return "cycle " + strconv.Itoa(c.Cycle) }, "all", "of ok", "share")
	ok := count(m.All.Counts.OK)
	if c.Truth != nil {
		row("cold by the node's mark", func(c *analysis.CycleCold) string { return whole(c.Cold.Truth) },
			whole(c.Truth), ok, percent(shareOf(c.Truth, m.All.Counts.OK)))
	}
	if c.ByThreshold != nil {
		row("cold by service time > "+duration(c.ThresholdNS), func(c *analysis.CycleCold) string { return whole(c.Cold.ByThreshold) },
			whole(c.ByThreshold), ok, percent(shareOf(c.ByThreshold, m.All.Counts.OK)))
	}
	p.table(g, nil)
	if c.TruePositive != nil {
		p.line(fmt.Sprintf("threshold against mark: precision %s   recall %s   (%s true, %s false positives; %s missed)",
			ratio(c.Precision), ratio(c.Recall), whole(c.TruePositive), whole(c.FalsePositive), whole(c.FalseNegative)))
	}
	p.line("")
}

func (p *printer) facts(s *analysis.Summary) {
	r, c := s.Resources, s.Counts
	if r.PSSMeanBytes != nil || r.RSSMeanBytes != nil {
		p.fact("memory", fmt.Sprintf("PSS %s mean, %s max (RSS %s mean)    CPU %s    workers %s mean, %s max",
			size(r.PSSMeanBytes), size(r.PSSMaxBytes), size(r.RSSMeanBytes), seconds(r.CPUSeconds), number(r.WorkersMean), integer(r.WorkersMax)))
	}
	counts := fmt.Sprintf("%s scheduled = %s sent + %s dropped;  %s sent = %s ok + %s errors + %s open at end",
		count(c.Scheduled), count(c.Sent), count(c.Dropped), count(c.Sent), count(c.OK), count(c.Errors), count(c.OpenAtEnd))
	if c.Planned != c.Scheduled {
		counts += fmt.Sprintf("  (of %s planned)", count(c.Planned))
	}
	p.fact("counts", counts)
	p.fact("rate", fmt.Sprintf("offered %s/s   sent %s/s   ok %s/s%s   over the length of the schedule",
		number(s.Rate.OfferedRPS), number(s.Rate.SentRPS), number(s.Rate.OKRPS), p.errorRate(s)))
	if len(s.ErrorsByClass) > 0 {
		p.fact("errors", p.paint(yellow, tallied(s.ErrorsByClass)))
	}
	if len(s.DroppedByReason) > 0 {
		p.fact("dropped", p.paint(yellow, tallied(s.DroppedByReason)))
	}
	if text := bounds(s.Intervals); text != "" {
		p.fact("bounds", text)
	}
	p.fact("lag", fmt.Sprintf("p50 %s   p99 %s   max %s%s", duration(s.Lag.P50NS), duration(s.Lag.P99NS), duration(s.Lag.MaxNS), late(s.LateShare)))
	if w := s.ConnectWait; w.N > 0 {
		p.fact("connect", fmt.Sprintf("%s waited for a connection: p50 %s   p99 %s   max %s; no part of lag",
			counted(w.N, "request"), duration(w.P50NS), duration(w.P99NS), duration(w.MaxNS)))
	}
	if text := starts(s.Parts); text != "" {
		p.fact("start", text)
	}
	if text := generator(s.Generator); text != "" {
		p.fact("loadgen", text)
	}
	if s.Policy.DecideP50NS != nil {
		p.fact("policy", fmt.Sprintf("%s decides in p50 %s   p99 %s", s.Policy.Name, duration(s.Policy.DecideP50NS), duration(s.Policy.DecideP99NS)))
	}
	for _, t := range s.Thresholds {
		state := p.paint(green, "met")
		if !t.Met {
			state = p.paint(red, "FAILED")
		}
		p.fact("must", fmt.Sprintf("%s   %s (%s)", plain.Line(t.Expression), state, t.Value))
	}
}

// bounds are the intervals of the run's response quantiles, and why one has none.
func bounds(intervals []analysis.QuantileInterval) string {
	var parts []string
	for _, i := range intervals {
		if i.Phase != "" || i.Of != "response" {
			continue
		}
		name := fmt.Sprintf("p%g", 100*i.Quantile)
		if i.LowNS == nil {
			parts = append(parts, fmt.Sprintf("%s none below %d requests", name, stats.MinSamples(max(i.Quantile, 1-i.Quantile), i.Level)))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s to %s", name, duration(i.LowNS), duration(i.HighNS)))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "   ") + fmt.Sprintf("   %g %% if requests were independent", 100*intervals[0].Level)
}

// tallied writes counts by name, the largest first.
func tallied(counts map[string]uint64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return int(min(counts[b], 1<<62)) - int(min(counts[a], 1<<62))
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = count(counts[name]) + " " + name
	}
	return strings.Join(parts, ", ")
}

func (p *printer) notes(s *analysis.Summary) {
	for _, w := range s.Warnings {
		p.note("warning", w)
	}
}
