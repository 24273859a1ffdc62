package analysis

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
