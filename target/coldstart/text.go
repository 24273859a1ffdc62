package coldstart

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Text writes the tables as people read them.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "cold start   %d starts each, interleaved   heap %s   work %s   seed %d   %s\n",
		r.Planned, megabytes(r.HeapBytes), r.Work, r.Seed, r.Machine)
	for i := range r.Results {
		result := &r.Results[i]
		if result.About != "" {
			fmt.Fprintf(&b, "  %s: %s\n", result.Runtime, result.About)
		}
		if result.TemplateNS != nil {
			fmt.Fprintf(&b, "  %s: its template was ready in %s, once\n", result.Runtime, short(time.Duration(*result.TemplateNS)))
		}
	}
	b.WriteByte('\n')
	r.latencies(&b)
	r.memoryTable(&b)
	if r.Interrupted {
		b.WriteString("interrupted: this is what there was\n")
	}
	for _, warning := range r.Warnings {
		b.WriteString("warning: " + warning + "\n")
	}
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n") // empty cells are padded too
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// rows of the table of latencies; each has a line for every runtime.
var rows = []struct {
	name string
	of   func(*Result) *Latency
}{
	{"spawn to ready", func(r *Result) *Latency { return &r.Ready }},
	{"first request", func(r *Result) *Latency { return &r.First }},
	{"second request", func(r *Result) *Latency { return &r.Second }},
	{"spawn to answer", func(r *Result) *Latency { return &r.Answered }},
}

func (r *Report) latencies(b *strings.Builder) {
	first := &r.Results[0]
	head := []string{"", "", "n", "min", "p50", "", "p99", "", "max"}
	if len(r.Results) > 1 {
		head = append(head, "p50 / "+first.Runtime, "p99 / "+first.Runtime)
	}
	t := table(b)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, row := range rows {
		name := row.name
		for i := range r.Results {
			l, base := row.of(&r.Results[i]), row.of(first)
			cells := make([]string, len(head)) // all of them, or the columns part
			cells[0], cells[1], cells[2] = name, r.Results[i].Runtime, strconv.Itoa(l.N)
			if name = ""; l.N > 0 {
				copy(cells[3:], []string{short(l.Min), short(l.P50.Value), interval(l.P50), short(l.P99.Value), interval(l.P99), short(l.Max)})
				if i > 0 {
					cells[9], cells[10] = ratio(l.P50, base.P50), ratio(l.P99, base.P99)
				}
			}
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
	}
	_ = t.Flush() // into memory
	b.WriteString("  [low – high]: 95 % confidence by order statistics, open where there are too few starts for a bound\n\n")
}

func table(b *strings.Builder) *tabwriter.Writer { return tabwriter.NewWriter(b, 0, 0, 2, ' ', 0) }

func interval(q Quantile) string {
	end := func(d *time.Duration) string {
		if d == nil {
			return ""
		}
		return short(*d)
	}
	return "[" + strings.TrimSpace(end(q.Low)+" – "+end(q.High)) + "]"
}

func ratio(a, b Quantile) string {
	if b.Value == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g×", float64(a.Value)/float64(b.Value))
}

func (r *Report) memoryTable(b *strings.Builder) {
	any := false
	t := table(b)
	fmt.Fprintf(t, "%d workers\t\tRSS\tPSS\tUSS\tPSS / RSS\tPSS with template\n", r.Workers)
	for i := range r.Results {
		name := r.Results[i].Runtime
		for _, s := range r.Results[i].Memory {
			any = true
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.2f\t%s\n", name, stateName(s.Name), megabytes(s.Workers.RSS), megabytes(s.Workers.PSS),
				megabytes(s.Workers.USS), float64(s.Workers.PSS)/float64(s.Workers.RSS), megabytes(s.All().PSS))
			name = ""
		}
	}
	if any {
		_ = t.Flush() // into memory
		b.WriteString("  sums over the workers; USS is what no other process shares; dirtied: after a request that wrote to that part of the heap\n")
	}
}

func stateName(name string) string {
	if share, ok := strings.CutPrefix(name, "dirty_"); ok {
		return share + " % dirtied"
	}
	return name
}

// short is a duration with three figures.
func short(d time.Duration) string {
	switch {
	case d < 999_500: // what rounds to 1000 µs is 1 ms
		return fmt.Sprintf("%.3g µs", float64(d)/1e3)
	case d < 999_500_000:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

func megabytes(n int64) string {
	mb := float64(n) / 1e6
	if mb < 10 {
		return fmt.Sprintf("%.2g MB", mb)
	}
	return fmt.Sprintf("%.0f MB", mb)
}
