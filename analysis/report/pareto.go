package report

import (
	"fmt"
	"strings"

	"edgebench/analysis/compare"
)

// ParetoText is a frontier as people read it.
func ParetoText(f *compare.Frontier, o TextOptions) string {
	p := newPrinter(o)
	scope := ""
	if part := partOf(f.Phase, f.Function, f.Path); part != "" {
		scope = " of " + part
	}
	p.line(p.paint(bold, fmt.Sprintf("%s   %s%s against %s", f.Groups[0].Profile, f.Y.Name, scope, f.X.Name)))
	p.line("  less is better on both; mean ± half of the 95 % interval over trials (Student)")
	p.line(fmt.Sprintf("  %s: %s", f.X.Name, f.X.Help))
	p.line(fmt.Sprintf("  %s: %s", f.Y.Name, f.Y.Help))
	p.groups(&f.Set)
	p.line("")
	memory := false
	for i := range f.Points {
		memory = memory || f.Points[i].PSS != nil
	}
	g := grid{left: 2}
	head := []string{"", "group", "trials", f.X.Name, f.Y.Name}
	if memory {
		head = append(head, "PSS mean", "RSS mean", "RSS/PSS")
	}
	g.add(head...)
	for i := range f.Points {
		point := &f.Points[i]
		mark := " "
		if point.OnFrontier {
			mark = "●"
		}
		cells := []string{mark, point.Letter + " " + point.Name, fmt.Sprint(point.Trials), estimated(f.X.Unit, point.X), estimated(f.Y.Unit, point.Y)}
		if memory {
			cells = append(cells, meanOf(compare.Bytes, point.PSS), meanOf(compare.Bytes, point.RSS), timesOf(point.RSS, point.PSS))
		}
		g.add(cells...)
	}
	p.table(g, nil)
	p.line("")
	for i := range f.Points {
		p.dominated(f, &f.Points[i])
	}
	p.line("● on the frontier: no other group is at least as good on both axes and better on one")
	if memory {
		p.line("RSS counts a page shared by n processes n times, PSS once: RSS/PSS is how often memory would be counted")
	}
	p.setNotes(&f.Set)
	return p.b.String()
}

// dominated says by whom a point is, and by how much.
func (p *printer) dominated(f *compare.Frontier, point *compare.Point) {
	for _, d := range point.DominatedBy {
		var better []string
		for _, axis := range []struct {
			m  compare.Metric
			by float64
		}{{f.X, d.DX}, {f.Y, d.DY}} {
			if axis.by == 0 {
				better = append(better, "equal "+axis.m.Name)
				continue
			}
			better = append(better, amount(axis.m.Unit, -axis.by)+" less "+axis.m.Name)
		}
		doubt := ""
		if !d.Clear {
			doubt = " (within the intervals: other trials might have it the other way round)"
			if point.X.Interval() == nil {
				doubt = " (one trial: no interval)"
			}
		}
		p.line(fmt.Sprintf("%s is dominated by %s: %s%s", point.Letter, d.Letter, strings.Join(better, ", "), doubt))
	}
}

func meanOf(u compare.Unit, e *compare.Estimate) string {
	if e == nil {
		return none
	}
	return amount(u, e.Mean)
}

func timesOf(a, b *compare.Estimate) string {
	if a == nil || b == nil || b.Mean == 0 {
		return none
	}
	return digits(a.Mean/b.Mean) + "×"
}
