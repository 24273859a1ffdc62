package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/predict"
	"edgebench/analysis/rundir"
)

// One real run, then every way of asking what models make of it.
func TestPredictedBesideMeasured(t *testing.T) {
	t.Parallel()
	queued := strings.Replace(tiny, "service: 5ms", "service: {exponential: 5ms}, miss: queue", 1)
	run := loadgen(t, queued, "run", "p.yaml", "--predict", "--quiet")
	run.wantCode(t, run.code(t, run.Run()), exitOK, exitInvalid)
	for _, want := range []string{"measured", "twin", "exact", "D/M/2", "leaves out"} {
		if !strings.Contains(run.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, run.stdout.String())
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(run.Dir, "runs", "*"))
	if len(dirs) != 1 {
		t.Fatalf("run directories %v", dirs)
	}
	kept := new(predict.Report)
	data, err := os.ReadFile(filepath.Join(dirs[0], rundir.PredictionFile))
	if err == nil {
		err = json.Unmarshal(data, kept)
	}
	if err != nil || len(kept.Rows) == 0 {
		t.Errorf("%s: %v, %d rows", rundir.PredictionFile, err, len(kept.Rows))
	}

	again := func(args ...string) *command {
		c := loadgen(t, "", append([]string{"predict"}, args...)...)
		c.Dir = run.Dir
		return c
	}
	c := again("--measured", dirs[0], "--json", "--trials", "3", "--out", "kept", "--service", "measured")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var r predict.Report
	if err := json.Unmarshal(c.stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 || len(r.Rows) == 0 || r.Rows[0].Measured == nil || len(r.Rows[0].Predictions) == 0 || r.Rows[0].Predictions[0].N != 3 {
		t.Errorf("%+v: want the run beside three trials of the twin", r)
	}
	if sims, _ := filepath.Glob(filepath.Join(run.Dir, "kept", "*-twin-*")); len(sims) != 3 {
		t.Errorf("twin's directories %v, want 3", sims)
	}
	sims, _ := filepath.Glob(filepath.Join(run.Dir, "kept", "*-twin-*"))
	if len(sims) == 0 {
		t.Fatal("no simulated run to take for a measured one")
	}
	itself := again("--measured", sims[0], "--trials", "2")
	itself.wantCode(t, itself.code(t, itself.Run()), exitOK)
	if text := strings.Join(strings.Fields(itself.stdout.String()), " "); !strings.Contains(text, "is simulated") { // wherever the line was broken
		t.Errorf("the twin passes for a measurement:\n%s", text)
	}
	copied := filepath.Join(run.Dir, "copied")
	if err := os.CopyFS(copied, os.DirFS(dirs[0])); err != nil {
		t.Fatal(err)
	}
	for _, second := range []string{dirs[0], copied} {
		twice := again("--measured", dirs[0], second)
		twice.wantCode(t, twice.code(t, twice.Run()), exitUsage)
		if !strings.Contains(twice.stderr.String(), "the same run") {
			t.Errorf("a run that counts twice: %s", twice.stderr.String())
		}
	}
	for _, bad := range []struct{ name, want, flag string }{
		{"another schedule", "schedule", "cycles.count=3"},
		{"another policy", "--policy", "target.bundled.policy=reactive"},
	} {
		c := again("--measured", dirs[0], "--set", bad.flag)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if !strings.Contains(c.stderr.String(), bad.want) {
			t.Errorf("%s: %q is not in:\n%s", bad.name, bad.want, c.stderr.String())
		}
	}
}
