package analysis

import (
	"strings"
	"testing"

	"edgebench/analysis/rundir"
)

// severalFunctions gives requests to three functions in turn, of which the last
// fails and one in the middle is never called.
func severalFunctions(f *fixture) {
	f.manifest.Functions = []string{"resize", "idle", "thumb.v2"}
	for i := range f.samples {
		s := &f.samples[i]
		if s.Function = int32(i % 2 * 2); s.Function == 2 {
			s.Outcome, s.Path, s.Status = rundir.ErrStatus5xx, rundir.PathUnknown, 503
		}
	}
}

func TestResultsPerFunction(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	severalFunctions(f)
	f.manifest.Thresholds = []string{"fn.resize.error_rate < 1%", "fn.thumb.v2.error_rate < 1%", "fn.idle.response.p99 < 1s"}
	s, data := summaryJSON(t, f.write(t, t.TempDir()))
	if strings.Contains(string(data), "NaN") {
		t.Error("NaN in summary.json")
	}
	var scheduled uint64
	for _, fn := range s.Functions {
		scheduled += fn.Counts.Scheduled
	}
	if len(s.Functions) != 3 || scheduled != s.Counts.Scheduled {
		t.Fatalf("%d functions with %d requests, the run has %d", len(s.Functions), scheduled, s.Counts.Scheduled)
	}
	resize, idle, thumb := s.Functions[0], s.Functions[1], s.Functions[2]
	if resize.Name != "resize" || resize.Counts.Errors != 0 || resize.Response.N != resize.Counts.OK || resize.Rate.OKRPS == nil {
		t.Errorf("%+v", resize)
	}
	if idle.Counts.Scheduled != 0 || idle.Response.P50NS != nil || idle.LateShare != nil {
		t.Errorf("a function that was never called: %+v", idle)
	}
	if thumb.Counts.OK != 0 || thumb.ErrorsByClass["http_5xx"] != thumb.Counts.Sent {
		t.Errorf("a function that fails: %+v", thumb)
	}
	want := []bool{true, false, false}
	for i, th := range s.Thresholds {
		if th.Met != want[i] {
			t.Errorf("%s is met: %t at %s", th.Expression, th.Met, th.Value)
		}
	}
}

// A run without a row log has its functions from totals and histograms.
func TestFunctionsWithoutRows(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	severalFunctions(f)
	dir := f.write(t, t.TempDir())
	whole, _ := summaryJSON(t, dir)
	f.manifest.RowsSkipped, f.noRows = 300, 300
	sampled, _ := summaryJSON(t, f.write(t, t.TempDir()))
	for i := range whole.Functions {
		a, b := whole.Functions[i], sampled.Functions[i]
		if a.Counts != b.Counts || a.Response.N != b.Response.N || a.Response.N > 0 && *a.Response.P99NS != *b.Response.P99NS {
			t.Errorf("%s: %+v, from a third of its rows %+v", a.Name, a.Response, b.Response)
		}
	}
}

// A request that has no row for no known reason is a conservation fault also
// where others have none on purpose.
func TestRowsLeftOutAreCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	f.manifest.RowsSkipped, f.noRows = 99, 100
	_, err := Summarize(f.write(t, t.TempDir()))
	if err == nil || !strings.Contains(err.Error(), "658 scheduled in totals.json, but 558 rows in samples.csv.zst and 99 lost or left out") {
		t.Errorf("%v", err)
	}
}
