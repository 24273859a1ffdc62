package report

import (
	"fmt"
	"strconv"

	"edgebench/analysis"
	"edgebench/analysis/compare"
)

// coldChapters have a row a cycle of each measured phase, a column a group:
// requests that met a cold start, by the node's mark and by the threshold.
func coldChapters(of string, groups []*compare.Group) (out []chapter) {
	var names []string
	for _, m := range groups[0].Trials[0].Summary.Measured {
		names = append(names, m.Name)
	}
	for _, name := range names {
		c := chapter{Title: fmt.Sprintf("%sCold starts in %s", of, name), Lead: "Requests a cycle, mean over trials ± half of the 95 % interval (Student)."}
		for _, by := range []struct {
			title string
			of    func(analysis.Cold) *uint64
		}{
			{"by the node’s mark", func(c analysis.Cold) *uint64 { return c.Truth }},
			{"by the threshold on the service time", func(c analysis.Cold) *uint64 { return c.ByThreshold }},
		} {
			if t, ok := coldTable(groups, name, by.of); ok {
				c.Tables = append(c.Tables, titledTable{by.title, t})
			}
		}
		if len(c.Tables) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func coldTable(groups []*compare.Group, name string, of func(analysis.Cold) *uint64) (t table, known bool) {
	t = table{Head: heads(1, "Cycle"), Fit: true}
	cycles := 0
	for _, g := range groups {
		t.Head = append(t.Head, heading{Text: g.Letter + " " + g.Name})
		if m := measuredOf(g.Trials[0], name); m != nil {
			cycles = max(cycles, len(m.Cycles))
		}
	}
	for cycle := 0; cycle <= cycles; cycle++ { // the last is all of them
		label := strconv.Itoa(cycle + 1)
		if cycle == cycles {
			label = "all"
		}
		row := tableRow{Cells: []tableCell{{Text: label, Sort: strconv.Itoa(cycle), Left: true}}}
		for _, g := range groups {
			e := overTrials(g, func(trial *compare.Trial) *float64 {
				m := measuredOf(trial, name)
				switch {
				case m == nil || cycle < cycles && cycle >= len(m.Cycles):
					return nil
				case cycle == cycles:
					return whole64(of(m.All.Cold))
				}
				return whole64(of(m.Cycles[cycle].Cold))
			})
			known = known || e != nil
			row.Cells = append(row.Cells, estimateCell(compare.Number, e))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, known
}

func measuredOf(t *compare.Trial, name string) *analysis.Measured {
	for i := range t.Summary.Measured {
		if t.Summary.Measured[i].Name == name {
			return &t.Summary.Measured[i]
		}
	}
	return nil
}

func whole64(n *uint64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// overTrials sums one number of each trial up, nil when none has it.
func overTrials(g *compare.Group, of func(*compare.Trial) *float64) *compare.Estimate {
	var values []float64
	for _, t := range g.Trials {
		if v := of(t); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return &compare.Estimate{Trials: analysis.OverTrials(values), Values: values}
}

// phasesChapter has a row a group, cycle and phase, at most maxHTMLPhases.
func phasesChapter(groups []*compare.Group) chapter {
	t := table{Head: []heading{{Text: "Group", Left: true}, {Text: "Cycle"}, {Text: "Phase", Left: true},
		{Text: "Scheduled"}, {Text: "OK"}, {Text: "Errors"}, {Text: "Dropped"}, {Text: "Cold", Title: "by the node’s mark"}, {Text: "Above", Title: "the cold threshold"},
		{Text: "p50"}, {Text: "p99"}, {Text: "Max"}}}
	left := 0
	for _, g := range groups {
		for i := range g.Trials[0].Summary.Phases {
			ph := &g.Trials[0].Summary.Phases[i]
			switch {
			case ph.Counts.Planned == 0 && ph.Counts.Scheduled == 0:
				continue
			case len(t.Rows) == maxHTMLPhases:
				left++
				continue
			}
			t.Rows = append(t.Rows, phaseRow(g, i))
		}
	}
	c := chapter{Title: "Phases", Lead: "Means over trials; response times of ok answers, ± half of the 95 % interval of the mean. A heading sorts.", Tables: []titledTable{{"", t}}, PageOnly: true}
	if left > 0 {
		c.Notes = []string{fmt.Sprintf("%d further rows are in the runs' own summary.json.", left)}
	}
	return c
}

// phaseRow is phase i of all trials of a group: they share a schedule's shape.
func phaseRow(g *compare.Group, i int) tableRow {
	first := &g.Trials[0].Summary.Phases[i]
	number := func(of func(*analysis.Account) *float64) *compare.Estimate {
		return overTrials(g, func(t *compare.Trial) *float64 {
			if i >= len(t.Summary.Phases) {
				return nil
			}
			return of(&t.Summary.Phases[i].Account)
		})
	}
	mean := func(of func(*analysis.Account) uint64) tableCell {
		e := number(func(a *analysis.Account) *float64 { return new(float64(of(a))) })
		return tableCell{Text: digits(e.Mean), Sort: sortable(&e.Mean)}
	}
	optional := func(of func(*analysis.Account) *uint64) tableCell {
		e := number(func(a *analysis.Account) *float64 { return whole64(of(a)) })
		return estimateCell(compare.Number, e)
	}
	time := func(of func(*analysis.Account) *int64) tableCell {
		return estimateCell(compare.Nanoseconds, number(func(a *analysis.Account) *float64 {
			if v := of(a); v != nil {
				return new(float64(*v))
			}
			return nil
		}))
	}
	return tableRow{accountClass(&first.Account, first.Measure != ""), []tableCell{
		labelled(g.Letter + " " + g.Name), counts(uint64(max(first.Cycle, 0))), labelled(first.Name),
		mean(func(a *analysis.Account) uint64 { return a.Counts.Scheduled }), mean(func(a *analysis.Account) uint64 { return a.Counts.OK }),
		mean(func(a *analysis.Account) uint64 { return a.Counts.Errors }), mean(func(a *analysis.Account) uint64 { return a.Counts.Dropped }),
		optional(func(a *analysis.Account) *uint64 { return a.Cold.Truth }), optional(func(a *analysis.Account) *uint64 { return a.Cold.ByThreshold }),
		time(func(a *analysis.Account) *int64 { return a.Response.P50NS }), time(func(a *analysis.Account) *int64 { return a.Response.P99NS }),
		time(func(a *analysis.Account) *int64 { return a.Response.MaxNS }),
	}}
}
