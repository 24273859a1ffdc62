package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"edgebench/analysis/compare"
	"edgebench/analysis/rundir"
)

// trialsChapter lists every run with links to its files.
func (g *Groups) trialsChapter() chapter {
	t := table{Head: []heading{{Text: "Group", Left: true}, {Text: "Run", Left: true}, {Text: "Seed"}, {Text: "Started", Left: true}, {Text: "Verdict", Left: true},
		{Text: "Scheduled"}, {Text: "OK"}, {Text: "p50"}, {Text: "p99"}, {Text: "Files", Left: true}}}
	for _, group := range g.Set.Groups {
		for _, trial := range group.Trials {
			s := trial.Summary
			t.Rows = append(t.Rows, tableRow{accountClass(&s.Account, false), []tableCell{
				labelled(group.Letter), labelled(filepath.Base(trial.Dir)), counts(s.Run.Seed), labelled(s.Run.StartedUTC), labelled(string(s.Verdict)),
				counts(s.Counts.Scheduled), counts(s.Counts.OK), elapsed(s.Response.P50NS), elapsed(s.Response.P99NS),
				{Links: g.files(trial.Dir), Left: true, Prose: true},
			}})
		}
	}
	return chapter{Title: "Trials", Tables: []titledTable{{"", t}}, PageOnly: true}
}

// files links to what is in a run directory.
func (g *Groups) files(dir string) (out []link) {
	for _, name := range append([]string{rundir.ReportFile}, rawNames()...) {
		path := filepath.Join(dir, name)
		if to := g.relative(path); to != "" {
			if _, err := os.Stat(path); err == nil {
				out = append(out, link{name, to})
			}
		}
	}
	return out
}

func excludedChapter(s *compare.Set) chapter {
	t := table{Head: heads(2, "Run", "Why it is in no number"), Fit: true}
	for _, e := range s.Excluded {
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{labelled(e.Dir), prose(e.Why)}})
	}
	return chapter{Title: "Left out", Lead: strings.Join(s.Rules, "; ") + ".", Tables: []titledTable{{"", t}}}
}

// reproduceChapter has every command that made a trial, once.
func reproduceChapter(groups []*compare.Group, argv []string) chapter {
	c := chapter{Title: "Reproduce", Lead: "What made these runs, and this page, as typed.", PageOnly: true}
	for _, g := range groups {
		for _, t := range g.Trials {
			c.Commands = append(c.Commands, shellLine(t.Manifest.Argv))
		}
	}
	slices.Sort(c.Commands)
	c.Commands = append(slices.Compact(c.Commands), shellLine(argv))
	return c
}

// environmentChapter has what all runs share as facts, and what differs with
// the groups it is true of.
func environmentChapter(groups []*compare.Group) chapter {
	values := map[string]map[string][]string{} // name → value → letters
	var order []string
	trials := 0
	count := map[string]int{}
	for _, g := range groups {
		for _, t := range g.Trials {
			trials++
			for _, f := range environmentOf(t.Manifest) {
				of := values[f.Name]
				if of == nil {
					of = map[string][]string{}
					values[f.Name] = of
					order = append(order, f.Name)
				}
				count[f.Name]++
				if !slices.Contains(of[f.Value], g.Letter) {
					of[f.Value] = append(of[f.Value], g.Letter)
				}
			}
		}
	}
	c := chapter{Title: "Environment", PageOnly: true}
	differing := table{Head: heads(3, "What differs", "Value", "Groups"), Fit: true}
	for _, name := range order {
		of := values[name]
		if len(of) == 1 && count[name] == trials {
			for value := range of {
				c.Facts = append(c.Facts, fact{name, value})
			}
			continue
		}
		sorted := slices.Sorted(maps.Keys(of))
		if len(sorted) > maxValues {
			differing.Rows = append(differing.Rows, tableRow{Cells: []tableCell{labelled(name), labelled(fmt.Sprintf("%d values, %s to %s", len(sorted), sorted[0], sorted[len(sorted)-1])), labelled("see each manifest.json")}})
			continue
		}
		for _, value := range sorted {
			differing.Rows = append(differing.Rows, tableRow{Cells: []tableCell{labelled(name), prose(value), labelled(strings.Join(of[value], " "))}})
		}
	}
	if len(differing.Rows) > 0 {
		c.Tables = []titledTable{{"", differing}}
	}
	return c
}

// maxValues of one fact are listed; more, such as a clock, are told as a range.
const maxValues = 4

func environmentOf(m *rundir.Manifest) []fact {
	out := []fact{{"clock", m.Clock}}
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		out = append(out, fact{name, m.Versions[name]})
	}
	return append(append(out, facts(m.Host)...), facts(m.Limits)...)
}
