package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"edgebench/analysis/stats"
)

// SampleNotes tell what so few trials cannot show, of several comparisons at
// once: alike groups and pairs stand in one note.
func SampleNotes(all ...*Comparison) []string {
	var groups []*Group
	for _, c := range all {
		groups = append(groups, c.Groups...)
	}
	return append(fewNotes(groups), powerNotes(all)...)
}

// OtherNotes are those that are no SampleNotes.
func (c *Comparison) OtherNotes() []string {
	sample := SampleNotes(c)
	return slices.DeleteFunc(slices.Clone(c.Notes), func(n string) bool { return slices.Contains(sample, n) })
}

// fewNotes warn of groups too small for what is asked of them.
func fewNotes(groups []*Group) (out []string) {
	var single, few []string
	for _, g := range groups {
		switch n := len(g.Trials); {
		case n == 1:
			single = append(single, g.Letter)
		case n < fewTrials:
			few = append(few, fmt.Sprintf("%s has %d", g.Letter, n))
		}
	}
	if len(single) > 0 {
		out = append(out, fmt.Sprintf("one trial only (%s): no interval and no test; what differs may be chance. Plan %d trials", strings.Join(single, ", "), goodTrials))
	}
	if len(few) > 0 {
		out = append(out, fmt.Sprintf("fewer than %d trials (%s): tests can hardly find anything; plan %d", fewTrials, strings.Join(few, ", "), goodTrials))
	}
	return out
}

// powerNotes tell of pairs in which no difference, however large, could pass
// the corrected test.
func powerNotes(all []*Comparison) []string {
	var pairs []string
	var leasts []float64
	var tests []int
	for _, c := range all {
		for i, p := range c.Pairs {
			na, nb := len(c.Groups[0].Trials), len(c.Groups[i+1].Trials)
			if min(na, nb) < 2 || c.Tests == 0 {
				continue
			}
			if least := leastP(na, nb, p.Paired); least*float64(c.Tests) >= alpha {
				pairs, leasts, tests = append(pairs, p.B+" − "+p.A), append(leasts, least), append(tests, c.Tests)
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: the least p so few trials can give is %s, times %s by Holm: no difference can pass; look at the intervals, plan %d trials or name fewer metrics (--metric)",
		strings.Join(pairs, ", "), fromTo("%.2g", slices.Min(leasts), slices.Max(leasts)), testsOf(slices.Min(tests), slices.Max(tests)), goodTrials)}
}

// fromTo is one value, or two where they differ.
func fromTo[T comparable](format string, low, high T) string {
	if low == high {
		return fmt.Sprintf(format, low)
	}
	return fmt.Sprintf(format+" to "+format, low, high)
}

func testsOf(low, high int) string {
	if high == 1 {
		return counted(high, "test")
	}
	return fromTo("%d", low, high) + " tests"
}

// leastP is the p of samples that do not overlap: 2 in all signs, or in all
// ways to deal the ranks.
func leastP(na, nb int, paired bool) float64 {
	if paired {
		return math.Pow(2, 1-float64(na))
	}
	ways := 1.0
	for i := 1; i <= na; i++ {
		ways *= float64(nb+i) / float64(i)
	}
	return 2 / ways
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// orderNotes warn of measured groups that ran one after the other.
func (s *Set) orderNotes() []string {
	for _, b := range s.Groups[1:] {
		a := s.Groups[0]
		if a.Simulated() || b.Simulated() || len(a.Trials)+len(b.Trials) < 4 {
			continue
		}
		start := func(t *Trial) int64 { return t.Manifest.StartedUnixNS }
		if start(a.Trials[len(a.Trials)-1]) < start(b.Trials[0]) || start(b.Trials[len(b.Trials)-1]) < start(a.Trials[0]) {
			return []string{fmt.Sprintf("%s and %s ran one after the other, not interleaved: a machine that slows down looks like a difference", a.Letter, b.Letter)}
		}
	}
	return nil
}

// tailNotes warn of quantiles of too few requests: they are near the largest
// value, and no bound of theirs could be stated.
func (s *Set) tailNotes(metrics []Metric) []string {
	var out []string
	for _, tail := range []struct {
		metric string
		q      float64
	}{{"p95", 0.95}, {"p99", 0.99}} {
		if !slices.ContainsFunc(metrics, func(m Metric) bool { return m.Name == tail.metric }) {
			continue
		}
		need := stats.MinSamples(tail.q, level)
		var short []string
		for _, g := range s.Groups {
			least := uint64(math.MaxUint64)
			for _, t := range g.Trials {
				least = min(least, t.Account.Response.N)
			}
			if least < uint64(need) {
				short = append(short, fmt.Sprintf("%s %d", g.Letter, least))
			}
		}
		if len(short) > 0 {
			out = append(out, fmt.Sprintf("%s of a trial has no bound below %d requests, and is near its largest value (%s)", tail.metric, need, strings.Join(short, ", ")))
		}
	}
	return out
}

// halvesNotes are the A/A check within each group: every other trial against
// the rest, which only the set-up can make differ.
func (s *Set) halvesNotes(metrics []Metric) []string {
	var out []string
	for _, g := range s.Groups {
		if len(g.Trials) < 2*halfTrials {
			continue
		}
		var p []float64
		var of []Metric
		for _, m := range metrics {
			values, _ := m.values(g.Trials)
			var halves [2][]float64
			for i, v := range values {
				halves[i%2] = append(halves[i%2], v)
			}
			if t, ok := stats.MannWhitney(halves[0], halves[1]); ok {
				p, of = append(p, t.P), append(of, m)
			}
		}
		for i, adjusted := range stats.Holm(p) {
			if adjusted < alpha {
				out = append(out, fmt.Sprintf("%s fails its A/A check: every other trial differs from the rest in %s (p %.2g after Holm)", g.Letter, of[i].Name, adjusted))
			}
		}
	}
	return out
}

// coldNotes warn of thresholds that differ, and of what is simulated.
func (s *Set) coldNotes() []string {
	var out []string
	simulated := 0
	for i, g := range s.Groups {
		if g.Simulated() {
			simulated++
		}
		if i > 0 && s.Groups[0].config["cold"] != g.config["cold"] {
			out = append(out, fmt.Sprintf("%s and %s have other cold settings: cold_threshold compares two things", s.Groups[0].Letter, g.Letter))
		}
	}
	if simulated > 0 && simulated < len(s.Groups) {
		out = append(out, "measured against simulated: the twin has no memory, no CPU time and no lag")
	}
	return out
}
