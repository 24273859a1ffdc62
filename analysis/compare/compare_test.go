package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/compare"
	"edgebench/analysis/qpn/twin"
	"edgebench/analysis/report"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const small = `name: small
target: {bundled: {policy: {ewma: {}}, service: 50ms, tick: 200ms, idle_timeout: 600ms, scavenge: 100ms, heap: 1MB, start_delay: 10ms}}
request: {method: POST, path: /invoke, timeout: 5s}
arrivals: poisson
phases:
  - {name: warmup, rate: 20/s, for: 1s}
  - {name: spike, rate: 100/s, for: 1s, measure: cold}
cold: {threshold: 70ms}
`

// simulate records trials of the profile below parent, one a seed, under names
// that do not hang on the clock.
func simulate(t *testing.T, parent string, seeds int, sets ...string) string {
	t.Helper()
	parsed := make([]profiles.Set, len(sets))
	for i, text := range sets {
		set, err := profiles.ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed[i] = set
	}
	p, err := profiles.Parse("small.yaml", []byte(small), parsed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range seeds {
		q := *p
		q.Seed += uint64(i)
		dir, err := twin.Trial{Profile: &q, Phase: -1}.Record(context.Background(), parent, "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir, filepath.Join(parent, "trial-"+strconv.Itoa(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	return parent
}

func read(t *testing.T, o compare.Options, args ...string) *compare.Set {
	t.Helper()
	set, err := compare.Read(args, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := simulate(t, filepath.Join(root, "ewma"), 8), simulate(t, filepath.Join(root, "static"), 8, "target.bundled.policy=static")
	plain := func(text string) string { return strings.ReplaceAll(text, root+"/", "") }
	for _, width := range []int{80, 120} {
		set := read(t, compare.Options{}, a, b)
		c, err := compare.Compare(set, compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "compare-"+strconv.Itoa(width)+".txt", plain(report.CompareText(c, report.TextOptions{Width: width})))
		if !c.Pairs[0].Paired || c.Tests == 0 {
			t.Errorf("paired %v, %d tests", c.Pairs[0].Paired, c.Tests)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Errorf("JSON: %v", err)
		}
	}
	o := compare.Options{Phase: "spike"}
	f, err := compare.Pareto(read(t, o, root), "", "p99", o)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "pareto.txt", strings.ReplaceAll(plain(report.ParetoText(f, report.TextOptions{Width: 80})), root, "."))
	var csv strings.Builder
	if err := report.ParetoCSV(&csv, f); err != nil {
		t.Fatal(err)
	}
	golden(t, "pareto.csv", csv.String())
	c, err := compare.Compare(read(t, o, a, b), compare.Options{Phase: "spike", Metrics: []string{"cold", "p99", "pss_mean"}})
	if err != nil {
		t.Fatal(err)
	}
	csv.Reset()
	if err := report.CompareCSV(&csv, c); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.csv", csv.String())
}

// Two folders of one configuration: an A/A check, and the same seeds give the
// same runs, so nothing may differ.
func TestSameConfiguration(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	c, err := compare.Compare(read(t, compare.Options{}, simulate(t, filepath.Join(root, "one"), 6), simulate(t, filepath.Join(root, "two"), 6)), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pair := c.Pairs[0]
	if !pair.SameConfig || !pair.Paired || c.Groups[0].Name == c.Groups[1].Name {
		t.Errorf("%+v", pair)
	}
	for _, d := range pair.Differences {
		if d.Mean != 0 || d.Clear || d.Test != nil {
			t.Errorf("%+v", d)
		}
	}
	if text := report.CompareText(c, report.TextOptions{}); !strings.Contains(text, "0 of 10 metrics differ clearly; none should") {
		t.Error(text)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a := simulate(t, filepath.Join(root, "plain", "a"), 2)
	b := simulate(t, filepath.Join(root, "plain", "b"), 2, "target.bundled.policy=static")
	batch := simulate(t, filepath.Join(root, "batch", "results"), 2)
	for _, trial := range []string{"trial-1", "trial-2"} { // as a batch commits them
		inside := filepath.Join(batch, trial)
		if err := errors.Join(os.Rename(inside, inside+".tmp"), os.Mkdir(inside, 0o755), os.Rename(inside+".tmp", filepath.Join(inside, "run")),
			os.WriteFile(filepath.Join(inside, rundir.ManifestFile), []byte(`{"trial":{}}`), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(folder string, n int) string { return filepath.Join(folder, "trial-"+strconv.Itoa(n)) }
	copied := filepath.Join(root, "copied")
	if err := os.CopyFS(copied, os.DirFS(run(a, 1))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		args  []string
		apart bool
		want  string
	}{
		{"folders", []string{a, b}, true, "2 2"},
		{"a folder of folders", []string{filepath.Join(root, "plain")}, true, "2 2"},
		{"a batch", []string{filepath.Join(root, "batch"), b}, true, "2 2"},
		{"runs of two configurations", []string{run(a, 1), run(b, 1), run(a, 2), run(b, 2)}, true, "2 2"},
		{"runs of one, apart", []string{run(a, 1), run(a, 2)}, true, "1 1"},
		{"runs of one, together", []string{run(a, 1), run(a, 2)}, false, "2"},
		{"a run named twice", []string{run(a, 1), run(b, 1), run(a, 1)}, true, "1 1"},
		{"a run twice, once copied", []string{run(a, 1), run(b, 1), copied}, true, "1 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			set := read(t, compare.Options{Apart: c.apart}, c.args...)
			var sizes []string
			for _, g := range set.Groups {
				sizes = append(sizes, strconv.Itoa(len(g.Trials)))
			}
			if got := strings.Join(sizes, " "); got != c.want {
				t.Errorf("groups of %s, want %s", got, c.want)
			}
			if twice := strings.Contains(c.name, "twice"); twice != (len(set.Excluded) == 1) {
				t.Errorf("excluded %v", set.Excluded)
			}
		})
	}
}

// The first run named is the baseline, whichever was played first.
func TestOrderIsTheOrderOfNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a := simulate(t, filepath.Join(root, "a"), 2)
	b := simulate(t, filepath.Join(root, "b"), 1, "target.bundled.policy=static")
	early, late, other := filepath.Join(a, "trial-1"), filepath.Join(a, "trial-2"), filepath.Join(b, "trial-1")
	for _, dirs := range [][]string{{early, other}, {other, early}, {early, late}, {late, early}} {
		set := read(t, compare.Options{Apart: true}, dirs...)
		if len(set.Groups) != 2 || set.Groups[0].Dirs[0] != dirs[0] || set.Groups[0].Letter != "A" {
			t.Errorf("named %v: A is %+v", dirs, set.Groups[0])
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := simulate(t, filepath.Join(root, "a"), 2), simulate(t, filepath.Join(root, "b"), 2, "arrivals=even")
	empty := t.TempDir()
	torn := simulate(t, filepath.Join(root, "torn"), 1)
	if err := os.Truncate(filepath.Join(torn, "trial-1", rundir.ManifestFile), 100); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(b, "trial-1", rundir.TotalsFile)
	for _, c := range []struct {
		name  string
		args  []string
		phase string
		want  string
		is    error
	}{
		{"other work", []string{a, b}, "", "not asked for the same work: their profiles differ in arrivals", compare.ErrUsage},
		{"one run on two sides", []string{a, filepath.Join(a, "trial-1")}, "", "is in", compare.ErrUsage},
		{"no run", []string{empty}, "", "no folder of run directories", rundir.ErrNotARun},
		{"no folder", []string{filepath.Join(empty, "none")}, "", "none", rundir.ErrNotARun},
		{"no phase", []string{a}, "spikes", `no such part of the run: unknown phase "spikes", did you mean spike?`, compare.ErrUsage},
		{"a damaged run", []string{filepath.Join(torn, "trial-1")}, "", "unexpected end of JSON", rundir.ErrUnreadable},
		{"a file", []string{file}, "", "trial-1/totals.json: not a run directory, but a file", rundir.ErrNotARun},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compare.Read(c.args, compare.Options{Phase: c.phase})
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	set := read(t, compare.Options{Force: true}, a, b)
	if len(set.Groups) != 2 || !strings.Contains(strings.Join(set.Notes, ""), "not asked for the same work") {
		t.Errorf("forced: %+v", set)
	}
	other := simulate(t, filepath.Join(root, "other"), 2, "name=other", "arrivals=even")
	if set := read(t, compare.Options{Mixed: true}, a, other); len(set.Groups) != 2 || len(set.Notes) != 0 {
		t.Errorf("two profiles side by side: %+v", set)
	}
}

// Of a folder, what cannot be used is left out and named; --include-invalid
// takes all in that can be read.
func TestExcluded(t *testing.T) {
	t.Parallel()
	parent := simulate(t, t.TempDir(), 4)
	edit := func(trial, key string, value any) {
		path := filepath.Join(parent, trial, rundir.ManifestFile)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		m[key] = value
		if data, err = json.Marshal(m); err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit("trial-2", "interruption", "signal interrupt")
	edit("trial-3", "schema_version", 99)
	set := read(t, compare.Options{}, parent)
	want := []string{"schema_version 99 is not known", "partial: interrupted: signal interrupt"}
	if len(set.Groups) != 1 || len(set.Groups[0].Trials) != 2 || len(set.Excluded) != 2 {
		t.Fatalf("%d groups, excluded %v", len(set.Groups), set.Excluded)
	}
	for _, text := range want {
		if !strings.Contains(set.Excluded[0].Why+set.Excluded[1].Why, text) {
			t.Errorf("excluded %v, want %q", set.Excluded, text)
		}
	}
	if set := read(t, compare.Options{Invalid: true}, parent); len(set.Groups[0].Trials) != 3 || len(set.Excluded) != 1 {
		t.Errorf("with invalid ones: %d trials, excluded %v", len(set.Groups[0].Trials), set.Excluded)
	}
}

// One path of a measured phase: what no answer of a group took has no times.
func TestPath(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := simulate(t, filepath.Join(root, "a"), 2), simulate(t, filepath.Join(root, "b"), 2, "target.bundled.policy=static")
	o := compare.Options{Path: "fresh", Phase: "spike", Metrics: []string{"p50"}}
	c, err := compare.Compare(read(t, o, a, b), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Rows[0].Groups; got[0] == nil || got[1] != nil {
		t.Errorf("fresh: %+v; static has workers for all", got)
	}
	if text := report.CompareText(c, report.TextOptions{}); !strings.Contains(text, "path fresh in phase spike, all its cycles") {
		t.Errorf("%s", text)
	}
	for _, wrong := range []compare.Options{{Path: "fallbak"}, {Path: "warm", Phase: "ramp"}, {Path: "warm", Function: "f"}} {
		if _, err := compare.Read([]string{a, b}, wrong); !errors.Is(err, compare.ErrUsage) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// One function of two: its own requests alone, in numbers and in words.
func TestFunction(t *testing.T) {
	t.Parallel()
	two := "functions=[{name: quick}, {name: slow, service: 80ms}]"
	root := t.TempDir()
	a, b := simulate(t, filepath.Join(root, "a"), 2, two), simulate(t, filepath.Join(root, "b"), 2, two, "target.bundled.policy=static")
	p50 := func(function string) float64 {
		o := compare.Options{Function: function, Metrics: []string{"p50"}}
		c, err := compare.Compare(read(t, o, a, b), o)
		if err != nil {
			t.Fatal(err)
		}
		if text := report.CompareText(c, report.TextOptions{}); !strings.Contains(text, "function "+function) || !strings.Contains(text, "not of the function") {
			t.Errorf("%s", text)
		}
		return c.Rows[0].Groups[1].Mean // static has a worker for each
	}
	// To the three digits of the histograms.
	const over = float64(twin.DefaultOverhead)
	if quick, slow := p50("quick"), p50("slow"); math.Abs(quick/(50e6+over)-1) > 1e-3 || math.Abs(slow/(80e6+over)-1) > 1e-3 {
		t.Errorf("p50 of quick %v, of slow %v; want 50 and 80 ms and the twin's overhead", quick, slow)
	}
}
