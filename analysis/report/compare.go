package report

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"edgebench/analysis/compare"
	"edgebench/analysis/stats"
)

// Widths of a terminal, in columns: a table that does not fit loses columns
// below wideTable.
const (
	wideTable    = 100
	DefaultWidth = wideTable // of a file or a pipe
	maxGroupHead = 24        // a longer name heads its column by its letter
)

// CompareText is a comparison as people read it, at most width columns wide
// but for names and notes.
func CompareText(c *compare.Comparison, o TextOptions) string {
	p := newPrinter(o)
	scope := cmp.Or(partOf(c.Phase, c.Function, c.Path), "whole runs")
	if c.Phase != "" {
		scope += ", all its cycles"
	}
	p.line(p.paint(bold, fmt.Sprintf("%s   %s", c.Groups[0].Profile, scope)))
	p.line("  the trial is the unit; mean ± half of the 95 % interval (Student)")
	p.groups(&c.Set)
	p.line("")
	p.means(c, o.Width)
	for i := range c.Pairs {
		p.pair(c, &c.Pairs[i], o.Width)
	}
	for _, line := range driftLines(c.Drifts) {
		p.prose("drift", line)
	}
	p.setNotes(&c.Set)
	return p.b.String()
}

// partOf names the part of runs that is compared, empty for whole runs.
func partOf(phase, function, path string) string {
	var parts []string
	for _, p := range [][2]string{{"path", path}, {"phase", phase}, {"function", function}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return strings.Join(parts, " in ")
}

// driftLines say of every group whether it drifted, a line each; those that were
// not tested for one reason share one.
func driftLines(drifts []compare.Drift) (out []string) {
	untested := map[string][]string{}
	var why []string
	for _, d := range drifts {
		if d.Why != "" {
			if untested[d.Why] == nil {
				why = append(why, d.Why)
			}
			untested[d.Why] = append(untested[d.Why], d.Letter)
			continue
		}
		least, drifting := 1.0, []string{}
		for _, t := range d.Tests {
			least = min(least, t.PHolm)
			if t.Clear {
				drifting = append(drifting, t.Metric)
			}
		}
		found := "none"
		if len(drifting) > 0 {
			found = strings.Join(drifting, ", ")
		}
		out = append(out, fmt.Sprintf("%s %s in %s over %s, least p %.2g (Mann–Kendall, Holm)",
			d.Letter, found, counted(uint64(len(d.Tests)), "metric"), counted(uint64(d.Trials), "trial"), least))
	}
	for _, w := range why {
		out = append(out, fmt.Sprintf("not tested in %s: %s", strings.Join(untested[w], ", "), w))
	}
	return out
}

// groups lists what the letters stand for.
func (p *printer) groups(s *compare.Set) {
	g := grid{left: 4}
	for _, group := range s.Groups {
		word := "measured"
		if group.Simulated() {
			word = "simulated"
		}
		g.add("  "+group.Letter, group.Name, word, counted(uint64(len(group.Trials)), "trial"), group.From)
	}
	g.left = 5
	for _, line := range g.lines() {
		p.line(line)
	}
}

// means is a table of metrics by groups, in as many parts as the width asks for.
func (p *printer) means(c *compare.Comparison, width int) {
	if len(c.Rows) == 0 {
		p.line("no metric was measured")
		return
	}
	for first := 0; first < len(c.Groups); {
		g, last := grid{left: 1}, first+1
		for ; ; last++ {
			wider := meansGrid(c, first, last)
			if last > first+1 && (widest(wider.lines()) > width) {
				last--
				break
			}
			g = wider
			if last == len(c.Groups) {
				break
			}
		}
		p.table(g, nil)
		p.line("")
		first = last
	}
}

func meansGrid(c *compare.Comparison, first, last int) grid {
	g := grid{left: 1}
	head := []string{"metric"}
	for _, group := range c.Groups[first:last] {
		name := group.Letter + " " + group.Name
		if utf8.RuneCountInString(name) > maxGroupHead {
			name = group.Letter // the list above tells the rest
		}
		head = append(head, name)
	}
	g.add(head...)
	for _, r := range c.Rows {
		cells := []string{r.Name}
		for _, e := range r.Groups[first:last] {
			cells = append(cells, estimated(r.Unit, e))
		}
		g.add(cells...)
	}
	return g
}

func widest(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// pair is how one group differs from the first: effect and interval before p.
func (p *printer) pair(c *compare.Comparison, pair *compare.Pair, width int) {
	how := "trials compared as independent samples (Welch, Mann–Whitney)"
	if pair.Paired {
		how = fmt.Sprintf("trials paired on %s (Student, signed ranks)", counted(uint64(len(c.Groups[0].Trials)), "shared seed"))
	}
	p.line(p.paint(bold, pair.B+" − "+pair.A) + "   " + how)
	switch {
	case pair.SameConfig:
		p.line("  A/A check: both have the same configuration, so what differs is noise of the set-up")
	case len(pair.Changes) > 0:
		p.line("  " + strings.Join(pair.Changes, ";  "))
	}
	wide := width >= wideTable
	g := grid{left: 1}
	head := []string{"metric", "difference", "95 % interval"}
	if wide {
		head = append(head, "relative", "Cliff's δ", "95 % interval")
	} else {
		head = append(head, "Cliff's δ")
	}
	g.add(append(head, "p (Holm)", "")...)
	clear := map[int]bool{}
	for i := range pair.Differences {
		d := &pair.Differences[i]
		cells := []string{d.Metric, signed(d.Unit, d.Mean), between(d.Interval, func(v float64) string { return change(d.Unit, v) })}
		if wide {
			cells = append(cells, relative(d.Relative))
		}
		cells = append(cells, effect(d.Effect, wide)...)
		verdict := ""
		if d.Clear {
			clear[len(g.rows)] = true
			verdict = map[bool]string{true: "higher", false: "lower"}[d.Mean > 0]
		}
		g.add(append(cells, pValue(d), verdict)...)
	}
	for i, line := range g.lines() {
		switch {
		case i == 0:
			line = p.paint(dim, line)
		case clear[i]:
			line = p.paint(bold, line)
		}
		p.line(line)
	}
	if pair.SameConfig {
		p.line(fmt.Sprintf("  A/A check: %d of %d metrics differ clearly; none should", len(clear), len(pair.Differences)))
	}
	p.line("")
}

// setNotes end every table of groups: what was left out, by which rule, and
// what to keep in mind.
func (p *printer) setNotes(s *compare.Set) {
	for _, rule := range s.Rules {
		p.prose("rule", rule)
	}
	for _, e := range s.Excluded {
		p.prose("left out", e.Dir+": "+e.Why)
	}
	for _, n := range s.Notes {
		p.note("note", n)
	}
}

// amount writes a value in the unit of its metric.
func amount(u compare.Unit, v float64) string {
	switch u {
	case compare.Nanoseconds:
		return duration(new(int64(v)))
	case compare.Bytes:
		return size(new(int64(v)))
	case compare.ByteSeconds:
		return byteSeconds(&v)
	case compare.Seconds:
		return seconds(&v)
	case compare.Share:
		return digits(100*v) + " %"
	}
	return digits(v)
}

// change writes a difference of two values; of shares, in percentage points.
func change(u compare.Unit, v float64) string {
	if u == compare.Share {
		return digits(100*v) + " pp"
	}
	return amount(u, v)
}

func signed(u compare.Unit, v float64) string {
	if v > 0 {
		return "+" + change(u, v)
	}
	return change(u, v)
}

// estimated is a mean with half its interval, alone where there is none.
func estimated(u compare.Unit, e *compare.Estimate) string {
	switch i := e.Interval(); {
	case e == nil:
		return none
	case i == nil:
		return amount(u, e.Mean)
	case i.Low == i.High:
		return amount(u, e.Mean) + " ± 0"
	default:
		return amount(u, e.Mean) + " ± " + amount(u, i.High-e.Mean)
	}
}

func between(i *stats.Interval, write func(float64) string) string {
	if i == nil {
		return none
	}
	return write(i.Low) + " to " + write(i.High)
}

func relative(v *float64) string {
	if v == nil {
		return none
	}
	if *v >= 10 {
		return "×" + digits(*v+1)
	}
	return fmt.Sprintf("%+.1f %%", 100**v)
}

func effect(e *stats.Effect, wide bool) []string {
	if e == nil {
		return []string{none, none}[:1+map[bool]int{true: 1}[wide]]
	}
	cells := []string{fmt.Sprintf("%+.2f", e.Delta)}
	if wide {
		cells = append(cells, between(e.Interval, func(v float64) string { return fmt.Sprintf("%+.2f", v) }))
	}
	return cells
}

func pValue(d *compare.Difference) string {
	if d.PHolm == nil {
		return none
	}
	return fmt.Sprintf("%.2g", *d.PHolm)
}
