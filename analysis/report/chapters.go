package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"edgebench/analysis"
	"edgebench/analysis/compare"
)

func groupsChapter(groups []*compare.Group) chapter {
	t := table{Head: heads(4, "", "Group", "Profile", "Made by", "Trials", "Seeds", "Verdicts"), Fit: true}
	for _, g := range groups {
		made := "measured"
		if g.Simulated() {
			made = "simulated"
		}
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{
			labelled(g.Letter), labelled(g.Name), labelled(g.Profile), labelled(made), counts(uint64(len(g.Trials))), labelled(seedsOf(g)), labelled(verdictsOf(g)),
		}})
	}
	return chapter{Title: "Groups", Lead: "Trials of one group share a resolved profile but for the seed.", Tables: []titledTable{{"", t}}}
}

// seedsOf writes runs of neighbouring seeds as ranges.
func seedsOf(g *compare.Group) string {
	var seeds []uint64
	for _, t := range g.Trials {
		seeds = append(seeds, t.Manifest.Seed)
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	var parts []string
	for i := 0; i < len(seeds); {
		k := i
		for k+1 < len(seeds) && seeds[k+1] == seeds[k]+1 {
			k++
		}
		part := strconv.FormatUint(seeds[i], 10)
		if k > i {
			part += "–" + strconv.FormatUint(seeds[k], 10)
		}
		parts, i = append(parts, part), k+1
	}
	return strings.Join(parts, ", ")
}

func verdictsOf(g *compare.Group) string {
	times := map[analysis.Verdict]int{}
	for _, t := range g.Trials {
		times[t.Summary.Verdict]++
	}
	var parts []string
	for _, v := range []analysis.Verdict{analysis.Valid, analysis.ThresholdsFailed, analysis.Invalid, analysis.Partial} {
		if times[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", times[v], v))
		}
	}
	return strings.Join(parts, ", ")
}

// profileChapters are the numbers of the groups of one profile: only they were
// asked for the same work.
func profileChapters(prefix, name string, all []*compare.Group) ([]chapter, *compare.Comparison, error) {
	set := compare.Set{}
	for _, g := range all {
		if g.Profile == name {
			set.Groups = append(set.Groups, g)
		}
	}
	of := ""
	if len(set.Groups) < len(all) {
		of = name + ": "
	}
	c, err := compare.Compare(&set, compare.Options{})
	if err != nil {
		return nil, nil, err
	}
	chapters := []chapter{meansChapter(of, c)}
	if len(c.Pairs) > 0 {
		chapters = append(chapters, pairsChapter(of, c))
	}
	chapters = append(chapters, coldChapters(of, set.Groups)...)
	if f, err := compare.Pareto(&set, "", "", compare.Options{}); err == nil && len(f.Points) > 1 {
		chapters = append(chapters, paretoChapter(of, f))
	}
	over, err := sideBySideChapter(of, prefix, set.Groups)
	if len(over.Charts) > 0 {
		chapters = append(chapters, over)
	}
	return chapters, c, err
}

// estimateCell is a mean with half its interval; the values stand behind it.
func estimateCell(u compare.Unit, e *compare.Estimate) tableCell {
	if e == nil {
		return tableCell{Text: none, Sort: "-1"}
	}
	title := fmt.Sprintf("n %d, median %s, %s to %s", e.N, amount(u, e.Median), amount(u, e.Min), amount(u, e.Max))
	return tableCell{Text: estimated(u, e), Sort: sortable(&e.Mean), Title: title}
}

func meansChapter(of string, c *compare.Comparison) chapter {
	t := table{Head: heads(1, "Metric")}
	for _, g := range c.Groups {
		t.Head = append(t.Head, heading{Text: g.Letter + " " + g.Name, Title: g.From})
	}
	for _, r := range c.Rows {
		cells := []tableCell{{Text: r.Name, Title: r.Help, Left: true}}
		for _, e := range r.Groups {
			cells = append(cells, estimateCell(r.Unit, e))
		}
		t.Rows = append(t.Rows, tableRow{Cells: cells})
	}
	return chapter{Title: of + "Metrics", Lead: "Mean over trials ± half of its 95 % interval (Student). Less is better in all of them.", Tables: []titledTable{{"", t}}}
}

func pairsChapter(of string, c *compare.Comparison) chapter {
	out := chapter{Title: of + "Differences", Lead: fmt.Sprintf("Each group less %s: effect and interval before p, which is exact up to 50 values and corrected by Holm over %s.",
		c.Groups[0].Letter, counted(uint64(c.Tests), "test")), PageOnly: true}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		t := table{Head: heads(1, "Metric", "Difference", "95 % interval", "Relative", "Cliff’s δ", "95 % interval", "p (Holm)", "Clear")}
		for k := range pair.Differences {
			d := &pair.Differences[k]
			verdict := ""
			if d.Clear {
				verdict = map[bool]string{true: "higher", false: "lower"}[d.Mean > 0]
			}
			cells := []tableCell{labelled(d.Metric), {Text: signed(d.Unit, d.Mean), Sort: sortable(&d.Mean)},
				{Text: between(d.Interval, func(v float64) string { return change(d.Unit, v) })}, {Text: relative(d.Relative), Sort: sortable(d.Relative)}}
			for _, text := range effect(d.Effect, true) {
				cells = append(cells, tableCell{Text: text})
			}
			t.Rows = append(t.Rows, tableRow{Cells: append(cells, tableCell{Text: pValue(d), Sort: sortable(d.PHolm)}, tableCell{Text: verdict})})
		}
		how := "independent samples (Welch, Mann–Whitney)"
		if pair.Paired {
			how = "paired on shared seeds (Student, signed ranks)"
		}
		title := fmt.Sprintf("%s − %s, %s", pair.B, pair.A, how)
		if len(pair.Changes) > 0 {
			title += "; " + strings.Join(pair.Changes, "; ")
		}
		out.Tables = append(out.Tables, titledTable{title, t})
	}
	return out
}

func paretoChapter(of string, f *compare.Frontier) chapter {
	t := table{Head: heads(1, "Group", "Frontier", f.X.Name, f.Y.Name, "PSS mean", "RSS mean", "RSS/PSS"), Fit: true}
	out := chapter{Title: of + "Cost against quality", Lead: fmt.Sprintf("%s (%s) against %s (%s). On the frontier no other group is at least as good on both axes and better on one.",
		f.Y.Name, f.Y.Help, f.X.Name, f.X.Help)}
	var p printer
	for i := range f.Points {
		point := &f.Points[i]
		mark := ""
		if point.OnFrontier {
			mark = "●"
		}
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{
			labelled(point.Letter + " " + point.Name), {Text: mark}, estimateCell(f.X.Unit, point.X), estimateCell(f.Y.Unit, point.Y),
			estimateCell(compare.Bytes, point.PSS), estimateCell(compare.Bytes, point.RSS), {Text: timesOf(point.RSS, point.PSS)},
		}})
		p.dominated(f, point)
	}
	out.Tables = []titledTable{{"", t}}
	out.Notes = append(slices.Collect(lines(p.b.String())), f.Notes...)
	return out
}

// lines of a text without their ends.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}
