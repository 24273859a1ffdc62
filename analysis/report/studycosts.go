package report

import (
	"fmt"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/compare"
	"edgebench/analysis/nodecost"
)

// costs are the study's figures of time and memory beside ours.
func (s *Study) costs() []Claim {
	var out []Claim
	if s.Starts != nil {
		for _, pair := range [][2]string{{"python-exec", "python"}, {"exec", "fork"}} {
			out = append(out, startClaim(s.Starts, pair[0], pair[1]))
		}
	}
	if s.Deciding != nil {
		out = append(out, decidingClaims(s.Deciding)...)
	}
	return append(out, s.memoryClaim())
}

// startClaim compares two runtimes' time from the decision to a ready worker.
func startClaim(c *nodecost.ColdStart, naive, forked string) Claim {
	const study = analysis.PublishedNaiveStart / analysis.PublishedForkStart
	out := Claim{What: fmt.Sprintf("start by %s against a fork of its warm template (%s)", naive, forked),
		Study: fmt.Sprintf("%s against %s, %d×", durationText(analysis.PublishedNaiveStart), durationText(analysis.PublishedForkStart), study), Ours: none, Verdict: notMeasured}
	slow, ok := c.Runtime(naive)
	fast, also := c.Runtime(forked)
	if !ok || !also {
		return out
	}
	times := slow.Ready.P50.Seconds() / fast.Ready.P50.Seconds()
	out.Ours = fmt.Sprintf("%s against %s, %s× (medians of %d)", durationText(*slow.Ready.P50), durationText(*fast.Ready.P50), digits(times), fast.Ready.N)
	out.Verdict = factor(times, float64(study))
	return out
}

// factor is the verdict on a ratio: within twice of the other.
func factor(ours, study float64) string {
	if ours >= study/2 && ours <= study*2 {
		return agrees
	}
	return differs
}

func decidingClaims(p *nodecost.Predictor) []Claim {
	find := func(policy string) *nodecost.Decision {
		for i := range p.Decisions {
			if p.Decisions[i].Policy == policy {
				return &p.Decisions[i]
			}
		}
		return nil
	}
	ewma, arima := find("ewma"), find("arima")
	ratio := Claim{What: "ARIMA's decision over that of EWMA and CUSUM, p99", Study: fmt.Sprintf("%s over %s, %d×", durationText(analysis.PublishedARIMAP99), durationText(analysis.PublishedTickP99),
		analysis.PublishedARIMAP99/analysis.PublishedTickP99), Ours: none, Verdict: notMeasured}
	if ewma == nil || arima == nil || ewma.P99NS == 0 {
		return []Claim{ratio}
	}
	fast, slow := time.Duration(ewma.P99NS), time.Duration(arima.P99NS)
	times := float64(slow) / float64(fast)
	ratio.Ours = fmt.Sprintf("%s over %s, %s×", durationText(slow), durationText(fast), count(uint64(times)))
	ratio.Verdict = factor(times, float64(analysis.PublishedARIMAP99)/float64(analysis.PublishedTickP99))
	if ratio.Verdict == differs && times > 1 {
		ratio.Note = "the order agrees; a tick of the study does more than decide"
	}
	return []Claim{ratio}
}

// memoryClaim shows what counting shared pages once a process does.
func (s *Study) memoryClaim() Claim {
	c := Claim{What: "memory of EWMA and CUSUM, mean", Study: fmt.Sprintf("RSS %s at up to %d workers", size(new(int64(analysis.PublishedRSSBytes))), analysis.PublishedRSSWorkers),
		Ours: none, Verdict: notMeasured, Note: "RSS counts a page shared by n processes n times; PSS is what there is"}
	for _, g := range s.Set.Groups {
		if g.Simulated() || g.Mode != "ewma" {
			continue
		}
		of := func(value func(*analysis.Resources) *int64) *compare.Estimate {
			return overTrials(g, func(t *compare.Trial) *float64 {
				if v := value(&t.Summary.Resources); v != nil {
					return new(float64(*v))
				}
				return nil
			})
		}
		rss, pss := of(func(r *analysis.Resources) *int64 { return r.RSSMeanBytes }), of(func(r *analysis.Resources) *int64 { return r.PSSMeanBytes })
		if rss != nil && pss != nil {
			c.Ours = fmt.Sprintf("RSS %s, PSS %s, %s", meanOf(compare.Bytes, rss), meanOf(compare.Bytes, pss), timesOf(rss, pss))
			c.Verdict = otherMachine
		}
	}
	return c
}

func decidingChapter(p *nodecost.Predictor) chapter {
	t := table{Head: append(heads(1, "Policy"), heads(0, "Mean", "p50", "p99", "Allocations")...), Fit: true}
	for _, d := range p.Decisions {
		ns := func(v int64) tableCell { return elapsed(&v) }
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{labelled(d.Policy), ns(int64(d.MeanNS)), ns(d.P50NS), ns(d.P99NS), {Text: digits(d.Allocations), Sort: sortable(&d.Allocations)}}})
	}
	c := chapter{Title: "What a decision costs (measured here)", Lead: "One decision, caches warm; p50 and p99 of single ones include the reading of the clock (target predictor-cost).", Tables: []titledTable{{"", t}}}
	fits := table{Head: heads(1, "Fit of ARIMA(2,1,2) by", "Windows", "p50", "Max", "PSS of the process"), Fit: true}
	for _, e := range p.Engines {
		if e.Missing != "" {
			c.Notes = append(c.Notes, e.Missing)
			continue
		}
		for _, f := range e.Fits {
			fits.Rows = append(fits.Rows, tableRow{Cells: []tableCell{labelled(e.Name), counts(uint64(f.Windows)), elapsed(&f.P50NS), elapsed(&f.MaxNS), {Text: size(&e.Memory.PSS)}}})
		}
	}
	if len(fits.Rows) > 0 {
		c.Tables = append(c.Tables, titledTable{"", fits})
	}
	return c
}

func startsChapter(s *nodecost.ColdStart) chapter {
	t := table{Head: heads(1, "Runtime", "Starts", "Ready, p50", "95 % interval", "p99", "First answer, p50", "PSS fresh", "PSS 10 % written", "PSS all written", "RSS"), Fit: true}
	for _, r := range s.Runtimes {
		bounds := none
		if r.Ready.P50Low != nil && r.Ready.P50High != nil {
			bounds = durationText(*r.Ready.P50Low) + " to " + durationText(*r.Ready.P50High)
		}
		row := []tableCell{labelled(r.Name), counts(uint64(r.Ready.N)), elapsed((*int64)(r.Ready.P50)), {Text: bounds}, elapsed((*int64)(r.Ready.P99)), elapsed((*int64)(r.Answered.P50))}
		for _, state := range []string{"fresh", "dirty_10", "dirty_100"} {
			cell := tableCell{Text: none, Sort: "-1"}
			for _, m := range r.Memory {
				if m.Name == state {
					cell = tableCell{Text: size(&m.AllPSS), Sort: fmt.Sprint(m.AllPSS)}
				}
			}
			row = append(row, cell)
		}
		rss := tableCell{Text: none, Sort: "-1"}
		if len(r.Memory) > 0 {
			rss = tableCell{Text: size(&r.Memory[0].RSS), Sort: fmt.Sprint(r.Memory[0].RSS)}
		}
		t.Rows = append(t.Rows, tableRow{Cells: append(row, rss)})
	}
	return chapter{Title: "What a start costs, and copy-on-write (measured here)",
		Lead:   fmt.Sprintf("Memory of %d workers with a heap of %s together, template included; RSS of the workers alone, fresh (target cold-start).", s.Workers, size(&s.HeapBytes)),
		Tables: []titledTable{{"", t}}, Notes: s.Warnings}
}

func durationText(d time.Duration) string { return duration((*int64)(&d)) }
