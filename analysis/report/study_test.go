package report

import (
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/compare"
	"edgebench/analysis/nodecost"
)

func estimateOf(values ...float64) *compare.Estimate {
	return &compare.Estimate{Trials: analysis.OverTrials(values), Values: values}
}

func TestClaimsOfCounts(t *testing.T) {
	t.Parallel()
	single, five := analysis.Published{Total: 40}, analysis.Published{Total: 40, Trials: &analysis.Around{Mean: 48, Half: 19}}
	for _, c := range []struct {
		name  string
		study analysis.Published
		ours  *compare.Estimate
		want  string
	}{
		{"nothing of ours", single, nil, notMeasured},
		{"inside the range", single, estimateOf(10, 60), withinRange},
		{"outside the range", single, estimateOf(50, 60), differs},
		{"means overlap", five, estimateOf(50, 60, 70), agrees},
		{"means do not overlap", five, estimateOf(2, 1, 3), differs},
		{"one trial of ours", five, estimateOf(40), withinRange},
	} {
		if got := countClaim("x", c.study, c.ours); got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestClaimsOfDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		a, b   []float64
		paired bool
		want   string
	}{
		{"fewer", []float64{10, 11, 12, 13}, []float64{7, 7.5, 8, 9}, true, agrees},
		{"more", []float64{10, 11, 12, 13}, []float64{20, 21, 23, 24}, true, differs},
		{"anything", []float64{10, 30}, []float64{5, 40}, false, undecided},
		{"one trial", []float64{10}, []float64{7}, true, undecided},
		{"none", nil, []float64{7}, false, notMeasured},
		{"no base", []float64{0, 0}, []float64{7, 8}, false, notMeasured},
	} {
		if got := differenceClaim("x", -0.3, c.a, c.b, c.paired); got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// A study of measured trials alone: what was simulated and measured nowhere says
// so, in the page and in the text.
func TestStudyReport(t *testing.T) {
	t.Parallel()
	root, dirs := copies(t, nil)
	ms := func(n time.Duration) nodecost.Latency {
		n *= time.Millisecond
		return nodecost.Latency{N: 3, P50: &n, P99: &n}
	}
	s := Study{
		Groups: groupsOf(t, root, dirs),
		Starts: &nodecost.ColdStart{Workers: 2, Runtimes: []nodecost.Runtime{
			{Name: "fork", Ready: ms(3), Answered: ms(4), Memory: []nodecost.State{{Name: "fresh", AllPSS: 105e6, RSS: 1e9}}}, {Name: "exec", Ready: ms(360), Answered: ms(361)},
		}},
		Deciding: &nodecost.Predictor{Decisions: []nodecost.Decision{{Policy: "ewma", P99NS: 100}, {Policy: "arima", P99NS: 37_000}}},
		Queueing: []Claim{{What: "spr N", Study: "5", Ours: "5", Verdict: "reproduced"}},
		Missing:  []string{"python workers were not measured: <no python3>"},
	}
	text, err := StudyText(s, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"360 ms against 3 ms, 120× (medians of 3)", "37 µs over 100 ns, 370×", "RSS 932 MB, PSS 119 MB", "reproduced", "<no python3>", "Static-15 (static)", "not measured", "figures of the study: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var page strings.Builder
	if err := StudyHTML(&page, s); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "&lt;no python3&gt;") || !strings.Contains(page.String(), "What a start costs, and copy-on-write (measured here)") {
		t.Error("the page lacks what is missing, or the starts")
	}
}
