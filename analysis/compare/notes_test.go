package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// measuredGroup makes trials with given median response times and PSS, an hour
// apart from a given hour on.
func measuredGroup(letter string, hour, step int, p50, pss []float64) *Group {
	g := &Group{Letter: letter, Name: "p" + letter, Producer: rundir.ProducerLoadgen, config: rundir.Config{"target": "target:\n  policy: " + letter + "\n"}}
	for i := range p50 {
		s := &analysis.Summary{Verdict: analysis.Valid}
		s.Response.P50NS = new(int64(p50[i]))
		if pss != nil {
			s.Resources.PSSByteSeconds, s.Resources.PSSMeanBytes, s.Resources.RSSMeanBytes = &pss[i], new(int64(pss[i])), new(int64(8*pss[i]))
		}
		g.Trials = append(g.Trials, &Trial{
			Dir: fmt.Sprint(letter, i), Summary: s, Account: &s.Account, config: g.config,
			Manifest: &rundir.Manifest{Seed: 1, ScheduleHash: "same", StartedUnixNS: int64(hour+i*step) * 3600e9},
		})
	}
	return g
}

func compared(t *testing.T, metrics []string, groups ...*Group) *Comparison {
	t.Helper()
	c, err := Compare(&Set{Groups: groups}, Options{Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func noted(c *Comparison, text string) bool {
	return strings.Contains(strings.Join(c.Notes, "\n"), text)
}

// C53: a node slows by 20 % over the night. Interleaved, both sides drift alike
// and the trend is told; one after the other, it would be a difference, which is
// told too.
func TestANightThatSlowsDown(t *testing.T) {
	t.Parallel()
	slower := func(hour int) float64 { return 500e6 * (1 + 0.2*float64(hour)/20) }
	var a, b, early, late []float64
	for i := range 10 {
		a, b = append(a, slower(2*i)), append(b, slower(2*i+1))
		early, late = append(early, slower(i)), append(late, slower(10+i))
	}
	interleaved := compared(t, []string{"p50"}, measuredGroup("A", 0, 2, a, nil), measuredGroup("B", 1, 2, b, nil))
	if !noted(interleaved, "A drifts: p50 rises") || !noted(interleaved, "B drifts") || noted(interleaved, "one after the other") {
		t.Errorf("interleaved: %q", interleaved.Notes)
	}
	if interleaved.Pairs[0].Differences[0].Clear {
		t.Error("interleaved trials differ clearly")
	}
	blocks := compared(t, []string{"p50"}, measuredGroup("A", 0, 1, early, nil), measuredGroup("B", 10, 1, late, nil))
	if !blocks.Pairs[0].Differences[0].Clear || !noted(blocks, "one after the other") {
		t.Errorf("blocks: %+v %q", blocks.Pairs[0].Differences[0], blocks.Notes)
	}
}

func TestHalvesThatDiffer(t *testing.T) {
	t.Parallel()
	var values []float64
	for i := range 16 {
		values = append(values, 500+float64(i%2*50+i*7%5))
	}
	c := compared(t, []string{"p50"}, measuredGroup("A", 0, 1, values, nil), measuredGroup("B", 0, 1, values[:6], nil))
	if !noted(c, "A fails its A/A check: every other trial differs from the rest in p50") {
		t.Errorf("%q", c.Notes)
	}
}

func TestFewTrials(t *testing.T) {
	t.Parallel()
	c := compared(t, []string{"p50"}, measuredGroup("A", 0, 1, []float64{5}, nil), measuredGroup("B", 0, 1, []float64{6, 7, 8}, nil))
	d := c.Pairs[0].Differences[0]
	if d.Interval != nil || d.Test != nil || d.PHolm != nil || d.Clear || c.Rows[0].Groups[0].Interval() != nil {
		t.Errorf("one trial: %+v", d)
	}
	three := compared(t, []string{"p50"}, measuredGroup("A", 0, 1, []float64{1, 2, 3}, nil), measuredGroup("B", 0, 1, []float64{6, 7, 8}, nil))
	if !noted(three, "B − A: the least p so few trials can give is 0.1, times 1 test by Holm") || *three.Pairs[0].Differences[0].PHolm != 0.1 { // 2 of C(6, 3)
		t.Errorf("%q %+v", three.Notes, three.Pairs[0].Differences[0])
	}
	if !noted(c, "one trial only (A)") || !noted(c, "fewer than 6 trials (B has 3)") {
		t.Errorf("%q", c.Notes)
	}
}

// A page of several comparisons says once what all of them lack.
func TestSampleNotesOfSeveralComparisons(t *testing.T) {
	t.Parallel()
	group := func(letter string, p50 ...float64) *Group { return measuredGroup(letter, 0, 1, p50, nil) }
	three := compared(t, []string{"p50"}, group("A", 1, 2, 3), group("B", 6, 7, 8))
	four := compared(t, []string{"p50", "p95"}, group("C", 1, 2, 3, 4), group("D", 6, 7, 8, 9))
	ten := compared(t, []string{"p50"}, group("E", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), group("F", 11, 12, 13, 14, 15, 16, 17, 18, 19, 20))
	four.Tests = 2
	notes := SampleNotes(three, four, ten)
	if len(notes) != 2 || !strings.Contains(notes[0], "(A has 3, B has 3, C has 4, D has 4)") ||
		!strings.HasPrefix(notes[1], "B − A, D − C: the least p so few trials can give is 0.029 to 0.1, times 1 to 2 tests by Holm") {
		t.Errorf("%q", notes)
	}
	for _, n := range three.OtherNotes() {
		if strings.Contains(n, "trials") {
			t.Errorf("still told apart: %q", n)
		}
	}
}

// C32: trials of no request compare to nothing: valid JSON, no metric, no NaN.
func TestTrialsOfNothing(t *testing.T) {
	t.Parallel()
	nothing := func(letter string) *Group {
		g := measuredGroup(letter, 0, 1, []float64{0, 0}, nil)
		for _, trial := range g.Trials {
			trial.Summary.Response.P50NS = nil
		}
		return g
	}
	c := compared(t, nil, nothing("A"), nothing("B"))
	if len(c.Rows) != 0 || len(c.Pairs[0].Differences) != 0 || c.Tests != 0 {
		t.Errorf("%+v", c.Rows)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
	if _, err := Pareto(&Set{Groups: []*Group{nothing("A")}}, "", "", Options{}); !errors.Is(err, ErrUsage) {
		t.Errorf("a frontier of nothing: %v", err)
	}
}

func TestFrontier(t *testing.T) {
	t.Parallel()
	groups := []*Group{
		measuredGroup("A", 0, 1, []float64{50, 51, 52, 51, 50, 52}, []float64{100, 101, 102, 100, 101, 102}),
		measuredGroup("B", 0, 1, []float64{90, 91, 92, 91, 90, 92}, []float64{60, 61, 62, 60, 61, 62}),
		measuredGroup("C", 0, 1, []float64{95, 96, 97, 95, 96, 97}, []float64{100, 101, 102, 100, 101, 102}), // by A, clearly; by B too
		measuredGroup("D", 0, 1, []float64{90, 91, 92, 91, 90, 93}, []float64{60, 61, 62, 60, 61, 63}),       // by B, hardly
		measuredGroup("E", 0, 1, []float64{1}, nil),
	}
	f, err := Pareto(&Set{Groups: groups}, "pss_byte_seconds", "p50", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Points {
		line := p.Letter
		if p.OnFrontier {
			line += "*"
		}
		for _, d := range p.DominatedBy {
			line += fmt.Sprintf(" %s %.0f %.0f %v", d.Letter, d.DX, d.DY, d.Clear)
		}
		got = append(got, line)
	}
	want := "B* | D B -0 -0 false | A* | C B -40 -5 true A 0 -45 true"
	if text := strings.Join(got, " | "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "E (pE) is left out: it did not measure pss_byte_seconds") {
		t.Errorf("%q", f.Notes)
	}
	if rss := f.Points[0].RSS.Mean / f.Points[0].PSS.Mean; rss != 8 {
		t.Errorf("RSS is %v times PSS", rss)
	}
	if _, err := Pareto(&Set{Groups: groups}, "p50", "pss_mean", Options{}); err == nil || !strings.Contains(err.Error(), "--x is a cost (pss_mean pss_byte_seconds cpu_seconds worker_seconds)") {
		t.Errorf("axes the wrong way round: %v", err)
	}
}

func TestMetricsAreNamedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	empty := &analysis.Summary{}
	for _, m := range Metrics() {
		if seen[m.Name] || m.Help == "" {
			t.Errorf("%s: named twice or without help", m.Name)
		}
		seen[m.Name] = true
		if v := m.value(&Trial{Summary: empty, Account: &empty.Account}); v != nil {
			t.Errorf("%s of a run of nothing is %v, want null", m.Name, *v)
		}
	}
	if _, err := Compare(&Set{}, Options{Metrics: []string{"p50", "p51", "px"}}); err == nil || !strings.Contains(err.Error(), `"p51"`) || !strings.Contains(err.Error(), `"px"`) {
		t.Errorf("unknown metrics: %v", err)
	}
}

func TestConfigChanges(t *testing.T) {
	t.Parallel()
	a := rundir.ParseConfig("name: x\nseed: 1\ntarget:\n  bundled:\n    policy: ewma\n    workers: 0\narrivals: even\n")
	b := rundir.ParseConfig("name: x\nseed: 2\ntarget:\n  bundled:\n    policy: static\n    workers: 0\n    heap: 1MB\narrivals: poisson\n")
	if got := strings.Join(a.Changes(b), ", "); got != "arrivals: even → poisson, target.bundled.heap: none → 1MB, target.bundled.policy: ewma → static" {
		t.Error(got)
	}
	if got := a.Differing(b, work...); len(got) != 1 || got[0] != "arrivals" {
		t.Error(got)
	}
}
