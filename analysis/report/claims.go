package report

import (
	"fmt"

	"edgebench/analysis"
	"edgebench/analysis/compare"
	"edgebench/analysis/stats"
)

// A Claim is a figure of the study beside ours, with a verdict that follows from
// the two by the rule that the chapter states.
type Claim struct {
	What    string `json:"what"`
	Study   string `json:"study"`
	Ours    string `json:"ours"`
	Verdict string `json:"verdict"`
	Note    string `json:"note,omitempty"`
}

// Verdicts on claims of our own; queueing figures bring theirs.
const (
	agrees       = "agrees"
	withinRange  = "within our range"
	differs      = "differs"
	undecided    = "undecided"
	notMeasured  = "not measured"
	otherMachine = "other machine"
)

// claimTable has a row a claim.
func claimTable(claims []Claim) table {
	t := table{Head: heads(5, "What", "Study", "Ours", "Verdict", "Note")}
	for _, c := range claims {
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{prose(c.What), labelled(c.Study), labelled(c.Ours), labelled(c.Verdict), prose(c.Note)}})
	}
	return t
}

// countClaim sets a published count beside ours: five trials agree when the
// intervals of the two means overlap; a single trial can only be within the range
// of ours or not.
func countClaim(what string, study analysis.Published, ours *compare.Estimate) Claim {
	c := Claim{What: what, Study: study.Trial(), Ours: none, Verdict: notMeasured}
	if study.Trials != nil {
		c.Study += "; n = 5: " + study.FiveTrials()
	}
	if ours == nil {
		return c
	}
	c.Ours = ranged(ours)
	inside := float64(study.Total) >= ours.Min && float64(study.Total) <= ours.Max
	c.Verdict = map[bool]string{true: withinRange, false: differs}[inside]
	if i := ours.Interval(); study.Trials != nil && i != nil {
		theirs := stats.Interval{Low: study.Trials.Mean - study.Trials.Half, High: study.Trials.Mean + study.Trials.Half, Level: i.Level}
		if i.Overlaps(theirs) {
			c.Verdict = agrees
			return c
		}
		c.Note = "the intervals of the means do not overlap"
		if inside {
			c.Note += "; its one trial is within our range"
		}
		c.Verdict = differs
	}
	return c
}

// ranged is a mean with its interval and range over trials.
func ranged(e *compare.Estimate) string {
	return fmt.Sprintf("%s [%s–%s], n = %d", estimated(compare.Number, e), digits(e.Min), digits(e.Max), e.N)
}

// differenceClaim sets a published relative difference beside ours: the sign is
// confirmed or refuted when our interval leaves 0 out.
func differenceClaim(what string, published float64, a, b []float64, paired bool) Claim {
	c := Claim{What: what, Study: relative(&published), Ours: none, Verdict: notMeasured}
	base := 0.0
	if len(a) > 0 && len(b) > 0 {
		base = stats.Mean(a)
	}
	if base == 0 {
		return c
	}
	interval, ok := stats.Welch(a, b, 0.95)
	if paired {
		interval, ok = stats.Student(stats.Differences(a, b), 0.95)
	}
	mean := (stats.Mean(b) - base) / base
	c.Ours = relative(&mean)
	if !ok {
		c.Verdict, c.Note = undecided, "one trial has no interval"
		return c
	}
	low, high := interval.Low/base, interval.High/base
	c.Ours += fmt.Sprintf(" (%s to %s)", relative(&low), relative(&high))
	switch {
	case !interval.Excludes(0):
		c.Verdict, c.Note = undecided, "our interval holds 0"
	case (mean < 0) == (published < 0):
		c.Verdict = agrees
		if published < low || published > high {
			c.Note = "same sign; the size is outside our interval"
		}
	default:
		c.Verdict, c.Note = differs, "the other sign"
	}
	return c
}
