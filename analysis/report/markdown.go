package report

import (
	"fmt"
	"io"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/plain"
)

// Markdown writes a summary as GitHub renders it, short enough for the page of a
// CI job: verdict, thresholds, phases of the run, warnings.
func Markdown(w io.Writer, s *analysis.Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### loadgen %s: %s\n\n", markdown(s.Run.Profile), markdown(string(s.Verdict)))
	for _, why := range s.Reasons {
		fmt.Fprintf(&b, "- %s\n", markdown(why))
	}
	if len(s.Reasons) > 0 {
		b.WriteString("\n")
	}
	if len(s.Thresholds) > 0 {
		row(&b, "threshold", "is", "")
		b.WriteString("|---|---|---|\n")
		for _, t := range s.Thresholds {
			state := "met"
			if !t.Met {
				state = "**failed**"
			}
			row(&b, markdown(t.Expression), markdown(t.Value), state)
		}
		b.WriteString("\n")
	}
	row(&b, "phase", "scheduled", "ok", "errors", "dropped", "cold", "p50", "p99", "max")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	shown := 0
	for i := range s.Phases {
		ph := &s.Phases[i]
		if ph.Counts.Planned == 0 && ph.Counts.Scheduled == 0 {
			continue // silence
		}
		if shown++; shown > maxPhaseRows {
			continue
		}
		name := ph.Name
		if s.Run.Cycles > 1 {
			name = fmt.Sprintf("%s, cycle %d", name, ph.Cycle)
		}
		accountRow(&b, markdown(name), &ph.Account)
	}
	accountRow(&b, "all", &s.Account)
	if shown > maxPhaseRows {
		fmt.Fprintf(&b, "\n%s not shown\n", counted(uint64(shown-maxPhaseRows), "phase"))
	}
	fmt.Fprintf(&b, "\nTarget %s, seed %d, %s. p50, p99, max are response times of ok; lag p99 %s.\n",
		markdown(s.Run.Target), s.Run.Seed, clock(s.Run.ElapsedNS), duration(s.Lag.P99NS))
	for _, text := range s.Warnings {
		fmt.Fprintf(&b, "\n> warning: %s\n", markdown(text))
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// MarkdownNoRun is what stands there for a run without a result.
func MarkdownNoRun(w io.Writer, profile, why string) error {
	_, err := fmt.Fprintf(w, "### loadgen %s: no result\n\n- %s\n\n", markdown(profile), markdown(why))
	return err
}

func accountRow(b *strings.Builder, name string, a *analysis.Account) {
	cold := whole(a.Cold.Truth)
	if a.Cold.Truth == nil && a.Cold.ByThreshold != nil {
		cold = whole(a.Cold.ByThreshold) + " by time"
	}
	row(b, name, count(a.Counts.Scheduled), count(a.Counts.OK), count(a.Counts.Errors), count(a.Counts.Dropped), cold,
		duration(a.Response.P50NS), duration(a.Response.P99NS), duration(a.Response.MaxNS))
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// markdown is text that renders as itself on one line: what could be markup,
// HTML, a mention or the edge of a cell is escaped, control characters are gone.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range plain.Line(text) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@': // a mention would notify people
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_[]#|~>", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
