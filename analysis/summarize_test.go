package analysis

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/rundir"
)

var update = flag.Bool("update", false, "rewrite golden files")

// kept is the fixture as it was written when schema 1 was new. Later programs
// have to read it; -update replaces it, which is right only with a new schema.
var kept = filepath.Join("testdata", "bursty-ramp")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func summaryJSON(t *testing.T, dir string) (*Summary, []byte) {
	t.Helper()
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := rundir.EncodeJSON(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, data
}

func TestSummaryOfAFullRun(t *testing.T) {
	t.Parallel()
	f := newFixture(4)
	f.manifest.Thresholds = []string{"spike.cold.truth < 90%", "response.p99 < 900ms", "error_rate < 1%"}
	dir := f.write(t, t.TempDir())
	if *update {
		if err := os.RemoveAll(kept); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	s, data := summaryJSON(t, dir)
	golden(t, "summary.json", data)
	_, old := summaryJSON(t, kept)
	if diff := cmp.Diff(string(old), string(data)); diff != "" {
		t.Errorf("%s reads differently (-kept +new):\n%s", kept, diff)
	}
	if s.Verdict != Valid || s.Counts.Scheduled != 2794 || len(s.Phases) != 20 || s.Run.Cycles != 4 {
		t.Errorf("verdict %s, %d scheduled, %d phases, %d cycles", s.Verdict, s.Counts.Scheduled, len(s.Phases), s.Run.Cycles)
	}
	if err := WriteSummary(dir, s); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(dir, rundir.SummaryFile)); err != nil || string(again) != string(data) {
		t.Errorf("summary.json on disk differs, %v", err)
	}
}

// The keys of DESIGN.md are there in every summary, also of a run of nothing.
func TestStableKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	f.samples = nil
	f.workers = nil
	_, data := summaryJSON(t, f.write(t, t.TempDir()))
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"":          "schema_version verdict warnings counts errors_by_class dropped_by_reason rate lag service response cold phases resources policy",
		"counts":    "scheduled sent dropped ok errors open_at_end",
		"rate":      "offered_rps sent_rps ok_rps",
		"response":  "n min_ns mean_ns p50_ns p90_ns p99_ns p999_ns max_ns",
		"cold":      "truth by_threshold threshold_ns true_positive false_positive false_negative true_negative",
		"resources": "rss_mean_bytes pss_mean_bytes pss_max_bytes pss_byte_seconds cpu_seconds workers_mean workers_max sampler_cpu_share",
		"policy":    "name decide_p50_ns decide_p99_ns",
	}
	for object, keys := range want {
		in := got
		if object != "" {
			in = nil
			if err := json.Unmarshal(got[object], &in); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range strings.Fields(keys) {
			if _, ok := in[key]; !ok {
				t.Errorf("no key %q in %q", key, object)
			}
		}
	}
	for _, key := range []string{"response", "lag"} {
		if want := `"p99_ns": null`; !strings.Contains(string(got[key]), want) {
			t.Errorf("%s of nothing: %s, want %s", key, got[key], want)
		}
	}
	if !strings.Contains(string(data), "no request was scheduled") {
		t.Error("a run of nothing carries no warning")
	}
}

// alter changes a fixture before it is written.
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

func TestKilledProducer(t *testing.T) {
	t.Parallel()
	d := newFixture(1).draft(t, t.TempDir())
	run := d.Path()
	for _, name := range []string{rundir.TotalsFile, rundir.HistogramsFile} {
		if err := os.Remove(filepath.Join(run, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing was closed: what the files hold is what was flushed, if anything.
	s, err := Summarize(run)
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(s.Warnings, "\n"); s.Verdict != Partial || !strings.Contains(all, "totals.json is missing") {
		t.Errorf("verdict %s, warnings %q", s.Verdict, all)
	}
	if err := os.Remove(filepath.Join(run, rundir.SamplesFile)); err != nil {
		t.Fatal(err)
	}
	s, err = Summarize(run)
	if err != nil || s.Verdict != Partial || s.Counts.Scheduled != 0 {
		t.Errorf("without rows: %+v, %v", s.Counts, err)
	}
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
}

func TestRowsAloneGiveTheSameNumbers(t *testing.T) {
	t.Parallel()
	dir := newFixture(2).write(t, t.TempDir())
	want, _ := summaryJSON(t, dir)
	if err := os.Remove(filepath.Join(dir, rundir.TotalsFile)); err != nil {
		t.Fatal(err)
	}
	got, _ := summaryJSON(t, dir)
	if diff := cmp.Diff(want.Phases, got.Phases); diff != "" {
		t.Errorf("(-totals +rows):\n%s", diff)
	}
}

func TestLostRequestIsALoudError(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	d := f.draft(t, t.TempDir())
	accounts := f.accounts()
	tallies := accounts.Phases
	tallies[1].Add(&f.samples[0]) // counted, but no row of it
	if err := d.WriteTotals(f.manifest, accounts); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); !errors.Is(err, rundir.ErrConservation) || !strings.Contains(err.Error(), `"ramp" of cycle 1`) {
		t.Errorf("got %v", err)
	}
	tallies[1].Scheduled++ // does not even reconcile with itself
	if err := os.Remove(filepath.Join(dir, rundir.SamplesFile)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, rundir.TotalsFile))
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(data), `"scheduled": 481`, `"scheduled": 482`, 1)
	if broken == string(data) {
		t.Fatal("no phase of 481 in totals.json")
	}
	if err := os.WriteFile(filepath.Join(dir, rundir.TotalsFile), []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); !errors.Is(err, rundir.ErrConservation) {
		t.Errorf("got %v", err)
	}
}

func TestNotARun(t *testing.T) {
	t.Parallel()
	if _, err := Summarize(t.TempDir()); !errors.Is(err, rundir.ErrNotARun) {
		t.Errorf("got %v", err)
	}
	f := newFixture(1)
	f.samples[5].Phase = 99
	f.samples = f.samples[:6]
	d, err := rundir.Create(t.TempDir(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteManifest(f.manifest); err != nil {
		t.Fatal(err)
	}
	if err := f.writeSamples(d); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); err == nil || !strings.Contains(err.Error(), "request 5 is of phase 99") {
		t.Errorf("got %v", err)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	number := func(v float64) rundir.Number { return rundir.Number{Value: v, Known: true} }
	sum := resourceSum{until: 10}
	for _, row := range []rundir.MonitorRow{
		{TNS: -1e9, CPUSeconds: number(5), SamplerCPUSeconds: number(1)}, // the base of what grows
		{TNS: 0, PSSBytes: number(100), Workers: number(1), CPUSeconds: number(5.5), SamplerCPUSeconds: number(1)},
		{TNS: 1e9, PSSBytes: number(100), Workers: number(1), CPUSeconds: number(6)},
		{TNS: 2e9, Workers: number(3)}, // PSS unknown: its neighbours span the gap
		{TNS: 3e9, PSSBytes: number(300), Workers: number(3)},
		{TNS: 4e9, PSSBytes: number(300), Workers: number(3)},
		{TNS: 8e9, PSSBytes: number(300), Workers: number(3), CPUSeconds: number(9), SamplerCPUSeconds: number(1.4)},
		{TNS: 11e9, PSSBytes: number(9999), Workers: number(99), CPUSeconds: number(99)}, // after the end
	} {
		sum.add(&row)
	}
	// PSS: 100 for 1 s, 100→300 over 2 s, 300 for 5 s = 100 + 400 + 1500 over 8 s.
	want := Resources{
		PSSMeanBytes: new(int64(250)), PSSMaxBytes: new(int64(300)), PSSByteSeconds: new(2000.0),
		CPUSeconds: new(4.0), WorkersMean: new(2.625), WorkersMax: new(int64(3)),
		SamplerCPUShare: new(0.05), SampledSeconds: new(8.0), RowsMissing: 3,
	}
	got := sum.resources()
	got.SamplerCPUShare = new(float64(int(*got.SamplerCPUShare*1e9+0.5)) / 1e9)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStoppedRunRates(t *testing.T) {
	t.Parallel()
	f := newFixture(1)
	f.manifest.Interruption, f.manifest.StoppedNS = "SIGINT", 18e9
	kept := f.samples[:0]
	for _, s := range f.samples {
		if s.Scheduled < 18e9 {
			kept = append(kept, s)
		}
	}
	f.samples = kept
	s, err := Summarize(f.write(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	// 10 of the ramp's 30 s: 2 → 11.3/s, 67 requests.
	if got := *s.Phases[1].Rate.OfferedRPS; got < 6.5 || got > 6.9 {
		t.Errorf("ramp offered %.2f/s, want 6.7 over the part that was played", got)
	}
	if s.Phases[2].Rate.OfferedRPS != nil {
		t.Errorf("a phase that never began has the rate %v", *s.Phases[2].Rate.OfferedRPS)
	}
	if s.Counts.Planned <= s.Counts.Scheduled || s.Counts.Dropped != 0 {
		t.Errorf("counts %+v", s.Counts)
	}
}

// The sampler's first row comes shortly before the schedule starts, and its
// second may be late: what lies between belongs to the run all the same.
func TestResourcesCountTheStartOfARun(t *testing.T) {
	t.Parallel()
	number := func(v float64) rundir.Number { return rundir.Number{Value: v, Known: true} }
	sum := resourceSum{until: 10}
	for _, row := range []rundir.MonitorRow{
		{TNS: -20e6, PSSBytes: number(100), Workers: number(2)},
		{TNS: 2e9, PSSBytes: number(300), Workers: number(4)},
		{TNS: 3e9, PSSBytes: number(300), Workers: number(4)},
	} {
		sum.add(&row)
	}
	got := sum.resources()
	// 100 → 300 over 2 s and 300 for 1 s: 700 byte-seconds in 3 s.
	if *got.PSSByteSeconds != 700 || *got.SampledSeconds != 3 || *got.WorkersMean != 10.0/3 {
		t.Errorf("%v byte-seconds in %v s, %v workers; want 700 in 3, 3.33", *got.PSSByteSeconds, *got.SampledSeconds, *got.WorkersMean)
	}
}
