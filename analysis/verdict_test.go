package analysis

import (
	"strings"
	"testing"
	"time"

	"edgebench/analysis/rundir"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	lagBy := func(share float64, lag time.Duration) func(*fixture) {
		return func(f *fixture) {
			for i := range int(share * float64(len(f.samples))) {
				s := &f.samples[i]
				s.Sent, s.Done = s.Sent+int64(lag), s.Done+int64(lag)
			}
		}
	}
	drop := func(share float64, reason rundir.DropReason) func(*fixture) {
		return func(f *fixture) {
			for i := range int(share * float64(len(f.samples))) {
				s := &f.samples[i]
				*s = rundir.Sample{Index: s.Index, Phase: s.Phase, Scheduled: s.Scheduled, Outcome: rundir.Dropped, Drop: reason}
			}
		}
	}
	tests := []struct {
		name   string
		alter  func(*fixture)
		want   Verdict
		reason string
	}{
		{"nothing wrong", func(*fixture) {}, Valid, ""},
		{"all errors", func(f *fixture) {
			for i := range f.samples {
				f.samples[i].Outcome = rundir.ErrRefused
			}
		}, Valid, ""},
		{"one percent dropped", drop(0.01, rundir.DropMaxInFlight), Valid, ""},
		{"two percent dropped", drop(0.02, rundir.DropFDExhausted), Invalid, "it dropped 2"},
		{"half dropped by a stop", drop(0.5, rundir.DropStopped), Valid, ""},
		{"two percent late by 20 ms", lagBy(0.02, 20*time.Millisecond), Invalid, "lag p99 is 20.0"},
		{"four percent late by 2 ms", lagBy(0.04, 2*time.Millisecond), Valid, ""},
		{"six percent late by 2 ms of 500", lagBy(0.06, 2*time.Millisecond), Valid, ""},
		{"six percent late by 6 ms of 500", lagBy(0.06, 6*time.Millisecond), Invalid, "sent more than 5.0"},
		{"throttled", func(f *fixture) {
			f.manifest.Generator = &rundir.Generator{KernelCounters: map[string]int64{"cgroup_throttled_periods": 3, "cgroup_throttled_ns": 120e6}}
		}, Invalid, "its control group stopped it in 3 periods, 120ms in all"},
		{"not throttled", func(f *fixture) {
			f.manifest.Generator = &rundir.Generator{KernelCounters: map[string]int64{"cgroup_throttled_periods": 0, "cgroup_throttled_ns": 0}}
		}, Valid, ""},
		{"late by a quantum", func(f *fixture) {
			lagBy(0.5, 19*time.Millisecond)(f)
			f.manifest.Limits[rundir.LimitQuantum] = int64(20 * time.Millisecond)
		}, Valid, ""},
		{"late by more than a quantum", func(f *fixture) {
			lagBy(0.5, 31*time.Millisecond)(f)
			f.manifest.Limits[rundir.LimitQuantum] = int64(20 * time.Millisecond)
		}, Invalid, "above 30ms"},
		// The wait for a connection is the target's, however long.
		{"all wait for a connection", func(f *fixture) {
			lagBy(1, 3*time.Second)(f)
			for i := range f.samples {
				f.samples[i].ConnectWaitNS = 3e9
			}
		}, Valid, ""},
		// The spike is 30/s for seconds 38 to 43: a tenth of it is sent.
		{"saturated", func(f *fixture) {
			for i := range f.samples {
				if s := &f.samples[i]; s.Phase == 2 && i%10 != 0 {
					*s = rundir.Sample{Index: s.Index, Phase: s.Phase, Scheduled: s.Scheduled, Outcome: rundir.Dropped, Drop: rundir.DropNoConnection}
				}
			}
		}, Invalid, "saturated: sent 3 of 30/s in phase spike\nthe generator was the limit: it dropped"},
		{"interrupted", func(f *fixture) { f.manifest.Interruption = "SIGINT" }, Partial, "interrupted: SIGINT"},
		{"target lost", func(f *fixture) { f.manifest.TargetLost = "exit status 1" }, Partial, "target lost"},
		{"interrupted and slow", func(f *fixture) { f.manifest.Interruption = "x"; lagBy(0.2, time.Second)(f) }, Partial, "lag p99"},
		{"threshold failed", func(f *fixture) { f.manifest.Thresholds = []string{"spike.response.p50 < 1ms"} }, ThresholdsFailed, "spike.response.p50 < 1ms (is 5"},
		{"threshold without a value", func(f *fixture) { f.manifest.Thresholds = []string{"drain.response.p50 < 1s"} }, ThresholdsFailed, "not measured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(1)
			tt.alter(f)
			s, err := Summarize(f.write(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			reasons := strings.Join(s.Reasons, "\n")
			if s.Verdict != tt.want || !strings.Contains(reasons, tt.reason) || (tt.want == Valid) != (reasons == "") {
				t.Errorf("verdict %s for %q, want %s for %q", s.Verdict, reasons, tt.want, tt.reason)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		alter func(*fixture)
		want  string
	}{
		{"threshold inside a mode", func(f *fixture) { f.manifest.ColdThresholdNS = 502e6 }, "phase spike: the cold threshold 502ms lies inside a mode"},
		{"rows left out", func(f *fixture) { f.manifest.RowsSkipped, f.noRows = 100, 100 }, "100 of the requests have no row in samples.csv.zst"},
		{"all of one class", func(f *fixture) {
			for i := range f.samples {
				f.samples[i].Outcome, f.samples[i].Path = rundir.ErrStatus4xx, rundir.PathUnknown
			}
		}, "not one request succeeded (658 http_4xx)"},
		{"dead from a second on", func(f *fixture) {
			for i := range f.samples {
				if s := &f.samples[i]; s.Scheduled >= 39e9 {
					s.Outcome, s.Path, s.Done = rundir.ErrRefused, rundir.PathUnknown, s.Sent+1000
				} else {
					s.Done = min(s.Done, 40e9-1)
				}
			}
		}, "nothing succeeded from second 40 on, 102 requests failed since"},
		{"rows lost", func(f *fixture) { f.manifest.RowsLost, f.noRows = 7, 7 }, "7 rows of samples.csv.zst were lost"},
		{"events lost", func(f *fixture) { f.manifest.EventsLost = 7 }, "7 events left the node's ring"},
		{"open at end", func(f *fixture) { f.samples[3].Outcome = rundir.OpenAtEnd; f.samples[3].Path = 0 }, "neither ok nor errors and in no latency: 1"},
		{"manifest", func(f *fixture) { f.manifest.Warnings = []string{"swap is on"} }, "swap is on"},
		{"few lags", func(f *fixture) {
			f.samples = f.samples[:1]
			f.samples[0].Sent += 50e6
			f.samples[0].Done += 50e6
		}, "of only 1 requests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(1)
			tt.alter(f)
			s, err := Summarize(f.write(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.Warnings, "\n"); !strings.Contains(got, tt.want) || s.Verdict != Valid {
				t.Errorf("verdict %s, warnings %q; want valid and %q", s.Verdict, got, tt.want)
			}
		})
	}
	if s, err := Summarize(newFixture(1).write(t, t.TempDir())); err != nil || len(s.Warnings) != 0 {
		t.Errorf("a clean run warns: %v, %v", s.Warnings, err)
	}
}

// C44: what is printed never exceeds what was measured.
func TestSmallRunsStayWithinWhatWasMeasured(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 20} {
		f := newFixture(1)
		f.samples = f.samples[:n]
		worst := int64(0)
		for _, s := range f.samples {
			worst = max(worst, s.Done-s.Scheduled)
		}
		s, err := Summarize(f.write(t, t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Response; *r.P999NS > *r.MaxNS || *r.MaxNS != worst || r.N != uint64(n) {
			t.Errorf("n = %d: p99.9 %d, max %d, measured %d", n, *r.P999NS, *r.MaxNS, worst)
		}
	}
}
