package report

import (
	"strconv"

	"edgebench/analysis"
)

// A table is one of a page; the script makes its headings sort, by numbers that
// stand beside what people read.
type table struct {
	Head []heading
	Rows []tableRow
	Fit  bool // as wide as its cells need, not as the page
}

type heading struct {
	Text  string
	Title string // explains it
	Left  bool
}

type tableRow struct {
	Class string
	Cells []tableCell
}

type tableCell struct {
	Text  string
	Sort  string // a number; empty sorts by the text
	Title string
	Links []link // beside the text
	Left  bool
	Prose bool // breaks into lines
}

// A link is to a file of a run, relative to the page.
type link struct{ Text, To string }

// heads are headings by their texts; the first left of them are flush left.
func heads(left int, texts ...string) []heading {
	out := make([]heading, len(texts))
	for i, text := range texts {
		out[i] = heading{Text: text, Left: i < left}
	}
	return out
}

func labelled(text string) tableCell { return tableCell{Text: text, Left: true} }
func prose(text string) tableCell    { return tableCell{Text: text, Left: true, Prose: true} }
func counts(n uint64) tableCell      { return tableCell{Text: count(n), Sort: strconv.FormatUint(n, 10)} }
func elapsed(ns *int64) tableCell {
	return tableCell{Text: duration(ns), Sort: strconv.FormatInt(nanoseconds(ns), 10)}
}
func perSecond(v *float64) tableCell { return tableCell{Text: rate(v), Sort: sortable(v)} }

// sortable puts what was not measured first.
func sortable(v *float64) string {
	if v == nil {
		return "-1"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// accountHeads are the columns of accountCells.
func accountHeads(marked bool) []heading {
	out := heads(0, "Scheduled", "Sent", "OK", "Errors", "Dropped")
	if marked {
		out = append(out, heads(0, "Warm", "Queued", "Fresh", "Fallback")...)
	}
	return append(out, heads(0, "Offered /s", "p50", "p90", "p99", "Max")...)
}

// accountCells are the counts, paths and response times of some requests.
func accountCells(a *analysis.Account, marked bool) []tableCell {
	out := []tableCell{counts(a.Counts.Scheduled), counts(a.Counts.Sent), counts(a.Counts.OK), counts(a.Counts.Errors), counts(a.Counts.Dropped)}
	if marked {
		out = append(out, counts(a.Paths.Warm), counts(a.Paths.Queued), counts(a.Paths.Fresh), counts(a.Paths.Fallback))
	}
	return append(out, perSecond(a.Rate.OfferedRPS), elapsed(a.Response.P50NS), elapsed(a.Response.P90NS), elapsed(a.Response.P99NS), elapsed(a.Response.MaxNS))
}

// accountClass marks rows that a reader should not miss.
func accountClass(a *analysis.Account, measured bool) string {
	class := ""
	if measured {
		class = "measured"
	}
	if a.Counts.Errors+a.Counts.Dropped+a.Counts.OpenAtEnd > 0 {
		class += " trouble"
	}
	return class
}

// phaseTable has a row a phase that was not silent, at most maxHTMLPhases, and
// tells how many it left out.
func phaseTable(s *analysis.Summary, marked bool) (t table, left uint64) {
	t.Head = append([]heading{{Text: "Cycle"}, {Text: "Phase", Left: true}}, accountHeads(marked)...)
	for i := range s.Phases {
		ph := &s.Phases[i]
		switch {
		case ph.Counts.Planned == 0 && ph.Counts.Scheduled == 0:
		case len(t.Rows) == maxHTMLPhases:
			left++
		default:
			cells := append([]tableCell{counts(uint64(max(ph.Cycle, 0))), labelled(ph.Name)}, accountCells(&ph.Account, marked)...)
			t.Rows = append(t.Rows, tableRow{accountClass(&ph.Account, ph.Measure != ""), cells})
		}
	}
	return t, left
}

func functionTable(functions []analysis.Function) table {
	t := table{Head: append(heads(1, "Function"), accountHeads(false)...)}
	for i := range functions {
		f := &functions[i]
		t.Rows = append(t.Rows, tableRow{accountClass(&f.Account, false), append([]tableCell{labelled(f.Name)}, accountCells(&f.Account, false)...)})
	}
	return t
}
