package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run measured against its own simulation, and against a folder of trials.
func TestCompareMeasuredWithSimulated(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--quiet")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	sims := again(t, c, "sim", "p.yaml", "--trials", "6", "--out", "sims", "--quiet")
	sims.wantCode(t, sims.code(t, sims.Run()), exitOK)
	runs, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*"))

	both := again(t, c, "compare", runs[0], "sims", "--phase", "spike", "--include-invalid", "--json")
	both.wantCode(t, both.code(t, both.Run()), exitOK)
	var got struct {
		Groups []struct{ Producer string }
		Pairs  []struct{ Differences []struct{ Metric string } } `json:"comparisons"`
		Notes  []string
	}
	if err := json.Unmarshal(both.stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, both.stdout.String())
	}
	if len(got.Groups) != 2 || got.Groups[0].Producer != "loadgen" || got.Groups[1].Producer != "twin" || len(got.Pairs[0].Differences) == 0 {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(strings.Join(got.Notes, "\n"), "measured against simulated") {
		t.Errorf("notes %q", got.Notes)
	}
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"compare", "sims"}, exitUsage, "one group only (static, 6 trials)"},
		{[]string{"compare", runs[0], "sims", "--metric", "p51", "--include-invalid"}, exitUsage, `unknown metric "p51", did you mean p50?`},
		{[]string{"compare", "sims", "nowhere"}, exitUsage, "not a run directory"},
		{[]string{"compare", "sims", "p.yaml", "nowhere"}, exitUsage, "p.yaml: not a run directory, but a file\nnowhere: not a run directory: it does not exist"},
		{[]string{"compare", "sims", runs[0], "--function", "resize"}, exitUsage, `unknown function "resize"`},
		{[]string{"compare", "sims", runs[0], "--function", "a", "--phase", "spike"}, exitUsage, "choose one"},
		{[]string{"compare", "sims", "--csv", "--json"}, exitUsage, "choose one"},
		{[]string{"pareto", "sims", "--y", "cpu_seconds"}, exitUsage, "--y a quality (cold"},
		{[]string{"pareto", "sims"}, exitOK, "●  A static"},
		{[]string{"pareto", "sims", "--csv"}, exitOK, "worker_seconds,seconds"},
	} {
		cmd := again(t, c, x.args...)
		cmd.wantCode(t, cmd.code(t, cmd.Run()), x.code)
		if text := cmd.stdout.String() + cmd.stderr.String(); !strings.Contains(text, x.want) {
			t.Errorf("%v: %s\nwant %q", x.args, text, x.want)
		}
	}
}

// The ways out of a run: merged, exported, calibrated; and what each refuses.
func TestMergeExportCalibrate(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "sim", "p.yaml", "--trials", "2", "--out", "sims", "--quiet")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	runs, _ := filepath.Glob(filepath.Join(c.Dir, "sims", "*", "*"))
	if len(runs) != 2 {
		t.Fatalf("runs %v", runs)
	}
	damaged := filepath.Join(c.Dir, "damaged")
	if err := errors.Join(os.CopyFS(damaged, os.DirFS(runs[0])), os.Truncate(filepath.Join(damaged, "manifest.json"), 100)); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"merge", runs[0], runs[1], "--out", "merged"}, exitOK, "one after the other, gaps left out"},
		{[]string{"merge", runs[0], runs[0], "--out", "merged"}, exitUsage, "are the same run"},
		{[]string{"export", damaged, "--csv", "rows.csv"}, exitUsage, "loadgen: " + filepath.Join(damaged, "manifest.json:")},
		{[]string{"export", runs[0], "--csv", "nowhere/rows.csv"}, exitUsage, "nowhere/rows.csv: no such file"},
		{[]string{"merge", "sims", "--out", "merged", "--csv"}, exitOK, "union,merged/"},
		{[]string{"calibrate", runs[0]}, exitOK, "phase spike"},
		{[]string{"calibrate", runs[0], "--csv"}, exitOK, "\nspike,"},
		{[]string{"calibrate", c.Dir}, exitUsage, "not a run directory"},
		{[]string{"export", runs[0], "--parquet", "r.parquet", "--csv", "-"}, exitOK, "r.parquet: 115 requests"},
		{[]string{"export", runs[0]}, exitUsage, "want --parquet FILE or --csv FILE"},
		{[]string{"export", c.Dir, "--csv", "-"}, exitUsage, "not a run directory"},
	} {
		cmd := again(t, c, x.args...)
		cmd.wantCode(t, cmd.code(t, cmd.Run()), x.code)
		if text := cmd.stdout.String() + cmd.stderr.String(); !strings.Contains(text, x.want) {
			t.Errorf("%v: %s\nwant %q", x.args, text, x.want)
		}
	}
	merged, _ := filepath.Glob(filepath.Join(c.Dir, "merged", "*", "summary.json"))
	if len(merged) != 2 {
		t.Errorf("merged %v, want two", merged)
	}
}

// again is another command in the folder of one that ended.
func again(t *testing.T, c *command, args ...string) *command {
	next := loadgen(t, "", args...)
	next.Dir = c.Dir
	return next
}
