package report

import (
	"fmt"
	"strings"

	"edgebench/analysis"
)

// errorRate is the rate of errors where there are any: what was sent and came
// back wrong is throughput of another kind.
func (p *printer) errorRate(s *analysis.Summary) string {
	if s.Counts.Errors == 0 {
		return ""
	}
	return p.paint(yellow, fmt.Sprintf("   errors %s/s", number(s.Rate.ErrorRPS)))
}

// generator is what sending cost, and what happened to the sender; empty when
// nobody measured it.
func generator(g analysis.Generator) string {
	if g.CPUUserSeconds == nil {
		return ""
	}
	parts := []string{fmt.Sprintf("CPU %s user + %s system, %s of %s", seconds(g.CPUUserSeconds), seconds(g.CPUSystemSeconds),
		percent(g.CPUShare), cores(g.CoresUsable))}
	if g.GCPauses != nil {
		text := counted(*g.GCPauses, "GC")
		if *g.GCPauses > 0 {
			text += ", pause max " + duration(g.GCPauseMaxNS)
		}
		parts = append(parts, text)
	}
	if g.OpenFilesMax != nil {
		parts = append(parts, fmt.Sprintf("%s of %s files", integer(g.OpenFilesMax), integer(g.OpenFilesLimit)))
	}
	for _, c := range []struct {
		n    *int64
		text string
	}{
		{g.ThrottledPeriods, "throttled in %d periods"}, {g.ListenOverflows, "%d listen overflows"}, {g.Retransmits, "%d retransmits"},
	} {
		if c.n != nil && *c.n > 0 {
			parts = append(parts, fmt.Sprintf(c.text, *c.n))
		}
	}
	if g.HostStealNS != nil && *g.HostStealNS > 0 {
		parts = append(parts, duration(g.HostStealNS)+" stolen")
	}
	return strings.Join(parts, "   ")
}

// pageGenerator is generator for a page, which folds spaces.
func pageGenerator(g analysis.Generator) string {
	return strings.ReplaceAll(generator(g), "   ", " · ")
}

// late is the share of requests that were late, where any was.
func late(share *float64) string {
	if share == nil || *share == 0 {
		return ""
	}
	return "   " + percent(share) + " late by over a millisecond"
}

func cores(n *float64) string {
	if n != nil && *n == 1 {
		return "1 core"
	}
	return number(n) + " cores"
}
