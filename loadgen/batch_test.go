package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/batch"
)

// night is a batch of short runs of the bundled node.
const night = `name: night
profiles: [p.yaml]
policies: [static, reactive]
trials: %d
cooldown: 0s
max_invalid: 1
retries: 0
`

func batchFolder(t *testing.T, trials int) string {
	t.Helper()
	dir := t.TempDir()
	profile := strings.NewReplacer("for: 500ms", "for: 100ms", "for: 250ms", "for: 50ms").Replace(tiny)
	for name, text := range map[string]string{"p.yaml": profile, "night.yaml": fmt.Sprintf(night, trials)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func inFolder(t *testing.T, dir string, args ...string) *command {
	c := loadgen(t, "", args...)
	c.Dir = dir
	return c
}

// Coordinator, worker and store are killed together at random instants, over and
// over; in the end every trial has exactly one whole result.
func TestABatchThatIsKilledLosesNothing(t *testing.T) {
	t.Parallel()
	const trials = 3
	dir := batchFolder(t, trials)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		c := inFolder(t, dir, "batch", "run", "night.yaml", "--out", "n", "--quiet")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// Killed some time after it has made itself known, wherever that finds it.
		eventually(t, "the batch takes its lock", func() bool {
			_, err := os.Stat(filepath.Join(dir, "n", "coordinator.lock"))
			return err == nil
		})
		end := time.AfterFunc(time.Duration(rng.Int64N(int64(3*time.Second))), func() { _ = c.Process.Kill() })
		_ = c.Wait()
		end.Stop()
	}
	c := inFolder(t, dir, "batch", "resume", "n", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var status batch.Status
	if err := json.Unmarshal(c.stdout.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	results := batch.NewFolder(filepath.Join(dir, "n")).Results()
	ids, err := results.List()
	if err != nil || len(ids) != 2*trials || !status.Complete() {
		t.Fatalf("%d results, %+v, %v\nstderr: %s", len(ids), status, err, c.stderr.String())
	}
	for _, id := range ids {
		if _, err := results.Read(id); err != nil {
			t.Error(err)
		}
	}
}

func TestABatchIsPlannedAndToldOf(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 1)
	plan := inFolder(t, dir, "batch", "plan", "night.yaml")
	plan.wantCode(t, plan.code(t, plan.Run()), exitOK)
	if out := plan.stdout.String(); !strings.Contains(out, "2 trials") || !strings.Contains(out, "reactive") {
		t.Errorf("plan:\n%s", out)
	}
	run := inFolder(t, dir, "batch", "run", "night.yaml")
	run.wantCode(t, run.code(t, run.Run()), exitOK)
	status := inFolder(t, dir, "batch", "status", "night")
	status.wantCode(t, status.code(t, status.Run()), exitOK)
	if out := status.stdout.String(); !strings.Contains(out, "2 done") || !strings.Contains(out, "verdict complete") {
		t.Errorf("status:\n%s", out)
	}
	if strings.Contains(run.stderr.String(), "\r") {
		t.Errorf("a progress line on no terminal: %q", run.stderr.String())
	}
	report := inFolder(t, dir, "batch", "report", "night")
	report.wantCode(t, report.code(t, report.Run()), exitOK)
	if out := report.stdout.String(); !strings.Contains(out, "verdict complete") || !strings.Contains(out, "reactive") {
		t.Errorf("report:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "night", "report.html")); err != nil {
		t.Error(err)
	}
	replayed(t, dir)
	// Reports make derived files again; the results are whole all the same.
	after := inFolder(t, dir, "batch", "status", "night")
	after.wantCode(t, after.code(t, after.Run()), exitOK)
	// Another profile under the same name is another batch.
	text, err := os.ReadFile(filepath.Join(dir, "p.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(strings.Replace(string(text), "service: 5ms", "service: 6ms", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	edited := inFolder(t, dir, "batch", "run", "night.yaml")
	edited.wantCode(t, edited.code(t, edited.Run()), exitUsage)
	if !strings.Contains(edited.stderr.String(), "batch resume night") {
		t.Errorf("stderr: %s", edited.stderr.String())
	}
}

// Every trial of a target that cannot be reached fails, and the batch says so.
func TestABatchOfFailuresIsIncomplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "name: gone\nprofiles: [constant]\nsets: ['target.url=http://127.0.0.1:1']\ntrials: 1\nretries: 0\ncooldown: 0s\n"
	if err := os.WriteFile(filepath.Join(dir, "gone.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := inFolder(t, dir, "batch", "run", "gone.yaml")
	c.wantCode(t, c.code(t, c.Run()), exitIncomplete)
	if out := c.stdout.String(); !strings.Contains(out, "1 failed") || !strings.Contains(out, "incomplete") {
		t.Errorf("stdout: %s\nstderr: %s", out, c.stderr.String())
	}
}
