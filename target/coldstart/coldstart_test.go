package coldstart

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/target/smaps"
	"edgebench/target/worker"
)

var update = flag.Bool("update", false, "write golden files")

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// quick measures with small heaps.
func quick(runtimes ...string) Config {
	cfg := Default()
	cfg.Runtimes, cfg.Starts, cfg.Workers, cfg.Heap = runtimes, 4, 3, 8<<20
	return cfg
}

func TestRun(t *testing.T) {
	t.Parallel()
	for _, name := range worker.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := quick(name)
			r, err := Run(t.Context(), cfg)
			if errors.Is(err, worker.ErrMissing) {
				t.Skip(err)
			}
			if err != nil || r.Interrupted || len(r.Warnings) > 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			got := r.Results[0]
			for _, l := range []Latency{got.Ready, got.First, got.Second, got.Answered} {
				if l.N != cfg.Starts || l.Min <= 0 || l.P50.Value < l.Min || l.P99.Value != l.Max {
					t.Errorf("%+v", l)
				}
			}
			checkMemory(t, cfg, got)
		})
	}
}

// checkMemory checks what must hold on any machine: a template's workers share
// the heap until they write to it, and others never do.
func checkMemory(t *testing.T, cfg Config, r Result) {
	t.Helper()
	var names []string
	uss := map[string]int64{}
	for _, s := range r.Memory {
		names = append(names, s.Name)
		uss[s.Name] = s.Workers.USS
		if s.Workers.USS > s.Workers.PSS || s.Workers.PSS > s.Workers.RSS || s.Workers.RSS < int64(cfg.Workers)*cfg.Heap {
			t.Errorf("%s: %+v", s.Name, s.Workers)
		}
		if (s.Template != nil) != (r.TemplateNS != nil) {
			t.Errorf("%s: template %+v", s.Name, s.Template)
		}
	}
	if diff := cmp.Diff([]string{"fresh", "dirty_0", "dirty_10", "dirty_100"}, names); diff != "" {
		t.Fatal(diff)
	}
	heaps := int64(cfg.Workers) * cfg.Heap
	if uss["dirty_100"] < heaps {
		t.Errorf("every page is written, and %d bytes of %d are private", uss["dirty_100"], heaps)
	}
	if r.TemplateNS == nil {
		if uss["fresh"] < heaps {
			t.Errorf("without a template %d bytes of %d are private", uss["fresh"], heaps)
		}
		return
	}
	unshared := uss["dirty_10"] - uss["dirty_0"]
	if unshared < heaps/12 || unshared > heaps/5 {
		t.Errorf("writing to 10 %% of %d bytes unshared %d", heaps, unshared)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := quick("fork", "exec")
	cfg.Progress = func(_ string, done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	r, err := Run(ctx, cfg)
	if err != nil || !r.Interrupted {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, got := range r.Results {
		if got.Ready.N != 2 {
			t.Errorf("%s has %d starts of the 2 that were made", got.Runtime, got.Ready.N)
		}
	}
}

func TestTooMuchMemory(t *testing.T) {
	t.Parallel()
	r := &Report{Results: []Result{{Runtime: "exec"}}}
	cfg := Config{Workers: 1000, Heap: 1 << 40}
	if err := r.memory(t.Context(), &cfg); err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "memory not measured: 1000 workers") {
		t.Errorf("%v, %q", err, r.Warnings)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	cfg := Config{Runtimes: []string{"spoon", "fork", "fork"}, Work: "image", Workers: -1}
	err := cfg.Validate()
	for _, want := range []string{`runtime "spoon": unknown`, "runtime fork: work image", "runtime fork: named twice", "n 0: outside", "workers -1: outside"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
}

// invented is a report whose every number is made up.
func invented() *Report {
	r := &Report{
		SchemaVersion: SchemaVersion, Planned: 8, Workers: 15, HeapBytes: 100e6, Work: worker.Sleep, Seed: 1,
		Machine: "linux/amd64, 2 CPUs", Interrupted: true, Warnings: []string{"invented"},
	}
	template := int64(384e6)
	for i, name := range []string{"fork", "exec", "python"} {
		result := Result{Runtime: name, Memory: []State{}}
		for k := range 8 - 8*(i/2) { // python has none: interrupted
			scale := time.Duration(1 + 40*i)
			result.starts = append(result.starts, start{ready: scale * time.Duration(2700+37*k) * time.Microsecond,
				first: time.Duration(90+k) * time.Microsecond, second: time.Duration(30+k) * time.Microsecond})
		}
		if i == 0 {
			result.TemplateNS, result.About = &template, "an invented one"
			result.Memory = []State{
				{Name: "fresh", Workers: smaps.Memory{RSS: 1527e6, PSS: 97e6, USS: 1.2e6}, Template: &smaps.Memory{RSS: 104e6, PSS: 8e6, USS: 1e6}},
				{Name: "dirty_10", Workers: smaps.Memory{RSS: 1527e6, PSS: 237e6, USS: 151e6}},
			}
		}
		result.summarize()
		r.Results = append(r.Results, result)
	}
	return r
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(*Report, *strings.Builder) error{
		"report.txt":  func(r *Report, b *strings.Builder) error { return r.Text(b) },
		"report.json": func(r *Report, b *strings.Builder) error { return r.JSON(b) },
		"report.csv":  func(r *Report, b *strings.Builder) error { return r.CSV(b) },
	} {
		var got strings.Builder
		if err := write(invented(), &got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What others read has one shape: valid JSON, and as many cells in every row.
func TestFormsAreReadable(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	if err := invented().JSON(&text); err != nil || !json.Valid([]byte(text.String())) {
		t.Errorf("JSON: %v", err)
	}
	text.Reset()
	if err := invented().CSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil || len(rows) != 1+2*8*3+5+3 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
