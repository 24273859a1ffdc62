package compare

import (
	"slices"

	"edgebench/analysis/stats"
)

// A Comparison is groups of trials metric by metric: what each is, and how the
// others differ from the first.
type Comparison struct {
	Set
	Phase    string  `json:"phase"`    // all cycles of it; empty for whole runs
	Function string  `json:"function"` // empty for all
	Path     string  `json:"path"`     // empty for all
	Rows     []Row   `json:"metrics"`
	Pairs    []Pair  `json:"comparisons"`
	Drifts   []Drift `json:"drift"` // one a group
	Level    float64 `json:"level"` // of every interval
	Tests    int     `json:"tests"` // in the family Holm's correction is over
}

// A Row is one metric in every group, in their order; null where no trial
// measured it.
type Row struct {
	Metric
	Groups []*Estimate `json:"groups"`
}

// A Pair is a group against the first one.
type Pair struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Paired      bool         `json:"paired"` // trial by trial, on equal seeds and schedules
	SameConfig  bool         `json:"aa"`     // an A/A check: any difference is noise
	Changes     []string     `json:"changes"`
	Differences []Difference `json:"differences"`
}

// A Difference is B − A in one metric; null parts could not be told.
type Difference struct {
	Metric   string          `json:"metric"`
	Unit     Unit            `json:"unit"`
	N        [2]int          `json:"n"` // trials
	Mean     float64         `json:"mean"`
	Relative *float64        `json:"relative"` // of A's mean
	Interval *stats.Interval `json:"interval"` // paired: Student's t; else Welch's
	Effect   *stats.Effect   `json:"cliff"`
	Test     *stats.Test     `json:"test"` // paired: signed ranks; else Mann–Whitney; null when all values are equal
	PHolm    *float64        `json:"p_holm"`
	Clear    bool            `json:"clear"` // the interval excludes 0 and p_holm is below 5 %
}

// Compare measures every group against the first.
func Compare(set *Set, o Options) (*Comparison, error) {
	metrics, err := choose(o.Metrics, func(m Metric) bool { return m.usual })
	if err != nil {
		return nil, err
	}
	c := &Comparison{Set: *set, Phase: o.Phase, Function: o.Function, Path: o.Path, Level: level}
	for _, m := range metrics {
		row := Row{Metric: m}
		known := false
		for _, g := range set.Groups {
			values, _ := m.values(g.Trials)
			e := estimate(values)
			row.Groups = append(row.Groups, e)
			known = known || e != nil
		}
		if known || len(o.Metrics) > 0 {
			c.Rows = append(c.Rows, row)
		}
	}
	for _, b := range set.Groups[1:] {
		c.Pairs = append(c.Pairs, comparePair(set.Groups[0], b, metrics))
	}
	c.correct()
	if !o.part().Whole() {
		c.Notes = append(c.Notes, "memory, CPU time and workers are of whole runs, not of the "+o.partKind())
	}
	c.Notes = append(c.Notes, SampleNotes(c)...)
	c.Notes = append(c.Notes, set.orderNotes()...)
	c.Drifts = set.drifts(metrics)
	c.Notes = append(c.Notes, c.driftNotes()...)
	c.Notes = append(c.Notes, set.tailNotes(metrics)...)
	c.Notes = append(c.Notes, set.halvesNotes(metrics)...)
	c.Notes = append(c.Notes, set.coldNotes()...)
	return c, nil
}

func comparePair(a, b *Group, metrics []Metric) Pair {
	p := Pair{A: a.Letter, B: b.Letter, Changes: a.config.Changes(b.config)}
	p.SameConfig = len(p.Changes) == 0 && a.Producer == b.Producer
	partners := partnersOf(a, b)
	p.Paired = partners != nil
	for _, m := range metrics {
		va, _ := m.values(a.Trials)
		vb, _ := m.values(b.Trials)
		if len(va) == 0 || len(vb) == 0 {
			continue
		}
		if p.Paired {
			va, vb = pairedValues(m, a.Trials, partners)
		}
		p.Differences = append(p.Differences, difference(m, va, vb, p.Paired))
	}
	return p
}

// partnersOf gives the trial of b with the seed and schedule of each of a, nil
// unless seeds are unique on both sides and all have a partner: a seed played
// twice has no one partner.
func partnersOf(a, b *Group) []*Trial {
	if len(a.Trials) != len(b.Trials) || len(a.Trials) < 2 {
		return nil
	}
	type play struct {
		seed uint64
		hash string
	}
	of := map[play]*Trial{}
	for _, t := range b.Trials {
		of[play{t.Manifest.Seed, t.Manifest.ScheduleHash}] = t
	}
	out := make([]*Trial, 0, len(a.Trials))
	for _, t := range a.Trials {
		key := play{t.Manifest.Seed, t.Manifest.ScheduleHash}
		if of[key] == nil {
			return nil
		}
		out = append(out, of[key])
		delete(of, key)
	}
	return out
}

// pairedValues are those of pairs in which both measured the metric.
func pairedValues(m Metric, a, b []*Trial) (va, vb []float64) {
	for i := range a {
		if x, y := m.value(a[i]), m.value(b[i]); x != nil && y != nil {
			va, vb = append(va, *x), append(vb, *y)
		}
	}
	return va, vb
}

func difference(m Metric, a, b []float64, paired bool) Difference {
	d := Difference{Metric: m.Name, Unit: m.Unit, N: [2]int{len(a), len(b)}}
	base := stats.Mean(a)
	d.Mean = stats.Mean(b) - base
	if base != 0 {
		d.Relative = new(d.Mean / base)
	}
	if e, ok := stats.Cliff(a, b, level); ok {
		d.Effect = &e
	}
	interval, ok := stats.Welch(a, b, level)
	test, tested := stats.MannWhitney(a, b)
	if paired {
		differences := stats.Differences(a, b)
		interval, ok = stats.Student(differences, level)
		test, tested = stats.SignedRank(differences)
	}
	if ok {
		d.Interval = &interval
	}
	if tested && min(len(a), len(b)) >= 2 && !constant(append(slices.Clone(a), b...)) {
		d.Test = &test
	}
	return d
}

// constant reports whether all values are one: then no test could have failed,
// and it is not in the family that is corrected for (Tarone 1990).
func constant(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// correct adjusts every p of every pair as one family.
func (c *Comparison) correct() {
	var p []float64
	var of []*Difference
	for i := range c.Pairs {
		for k := range c.Pairs[i].Differences {
			d := &c.Pairs[i].Differences[k]
			if d.Test != nil {
				p, of = append(p, d.Test.P), append(of, d)
			}
		}
	}
	c.Tests = len(p)
	for i, adjusted := range stats.Holm(p) {
		of[i].PHolm = &adjusted
		of[i].Clear = adjusted < alpha && of[i].Interval != nil && of[i].Interval.Excludes(0)
	}
}
