package report

import (
	"fmt"

	"edgebench/analysis"
)

// pathScope is where the answers of a path are from.
func pathScope(t *analysis.PathTimes) string {
	if t.Phase == "" {
		return "all phases"
	}
	return t.Phase
}

// sampledPaths says that the times a path are not of every answer, empty when
// they are.
func sampledPaths(all []analysis.PathTimes) string {
	var have, of uint64
	for i := range all {
		if t := &all[i]; t.Phase == "" {
			have, of = have+t.Response.N, of+t.OK
		}
	}
	if have == of {
		return ""
	}
	return fmt.Sprintf("times by path are of the %s answers with a row, of %s", count(have), count(of))
}

// paths are response times by path, on a terminal those of the run: why a
// quantile of all answers is where it is.
func (p *printer) paths(s *analysis.Summary) {
	if len(s.PathTimes) == 0 {
		return
	}
	g := grid{left: 1, rules: map[int]bool{2: true}}
	g.add("path", "ok", "p50", "p90", "p99", "max")
	for i := range s.PathTimes {
		if t := &s.PathTimes[i]; t.Phase == "" {
			r := t.Response
			g.add(t.Path, count(t.OK), duration(r.P50NS), duration(r.P90NS), duration(r.P99NS), duration(r.MaxNS))
		}
	}
	p.table(g, nil)
	p.paragraph(sampledPaths(s.PathTimes))
	p.line("")
}

// pathTable are the times by path of a page, of the run and of measured phases.
func pathTable(s *analysis.Summary) table {
	t := table{Fit: true, Head: []heading{{Text: "Phase", Left: true}, {Text: "Path", Left: true, Title: "as the node marked it"}, {Text: "OK"},
		{Text: "p50"}, {Text: "p90"}, {Text: "p99"}, {Text: "Max"}, {Text: "service p50"}, {Text: "service p99"}}}
	for i := range s.PathTimes {
		pt := &s.PathTimes[i]
		class := ""
		if pt.Phase != "" {
			class = "measured"
		}
		t.Rows = append(t.Rows, tableRow{class, []tableCell{labelled(pathScope(pt)), labelled(pt.Path), counts(pt.OK),
			elapsed(pt.Response.P50NS), elapsed(pt.Response.P90NS), elapsed(pt.Response.P99NS), elapsed(pt.Response.MaxNS),
			elapsed(pt.Service.P50NS), elapsed(pt.Service.P99NS)}})
	}
	return t
}
