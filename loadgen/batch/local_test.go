package batch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
)

func local(dir string, p *Plan, r Runner) Local {
	return Local{Folder: NewFolder(dir), Plan: p, Runner: r, Notice: io.Discard}
}

func TestEveryTrialIsCommittedOnce(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), planOf(t, small)
	sim := &simulator{}
	status, err := local(dir, p, sim).Run(t.Context())
	if err != nil || !status.Sound(0) || status.Attempts != 8 {
		t.Fatalf("%+v, %v", status, err)
	}
	results := NewFolder(dir).Results()
	if ids, err := results.List(); err != nil || len(ids) != 8 {
		t.Fatalf("%d results, %v", len(ids), err)
	}
	for _, trial := range p.Trials {
		r, err := results.Read(trial.ID)
		if err != nil || r.Trial != trial || r.Attempt != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		if _, err := analysis.Summarize(filepath.Join(dir, resultsDir, trial.ID, RunDir)); err != nil {
			t.Error(err)
		}
	}
	if again, err := local(dir, p, sim).Run(t.Context()); err != nil || !again.Complete() || sim.runs.Load() != 8 {
		t.Errorf("run again: %+v, %v, %d runs", again, err, sim.runs.Load())
	}
}

func TestDamageIsMadeAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(t *testing.T, dir, trial string)
		runs int32 // made again
	}{
		{"a file changed", func(t *testing.T, dir, trial string) {
			path := filepath.Join(dir, resultsDir, trial, RunDir, "events.jsonl")
			if err := os.WriteFile(path, []byte("{}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"a result gone", func(t *testing.T, dir, trial string) {
			if err := os.RemoveAll(filepath.Join(dir, resultsDir, trial)); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"the store gone", func(t *testing.T, dir, _ string) {
			if err := os.RemoveAll(filepath.Join(dir, storeDir)); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"the store's files cut", func(t *testing.T, dir, _ string) {
			cutBlocks(t, filepath.Join(dir, storeDir))
		}, 0},
		{"store and result gone", func(t *testing.T, dir, trial string) {
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, storeDir)), os.RemoveAll(filepath.Join(dir, resultsDir, trial))); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, p := t.TempDir(), planOf(t, strings.Replace(small, "trials: 4", "trials: 2", 1))
			sim := &simulator{}
			if _, err := local(dir, p, sim).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.harm(t, dir, p.Trials[1].ID)
			status, err := local(dir, p, sim).Run(t.Context())
			if err != nil || !status.Complete() {
				t.Fatalf("%+v, %v", status, err)
			}
			if again := sim.runs.Load() - 4; again != c.runs {
				t.Errorf("%d trials made again, want %d", again, c.runs)
			}
			for _, trial := range p.Trials {
				if _, err := NewFolder(dir).Results().Read(trial.ID); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func cutBlocks(t *testing.T, store string) {
	t.Helper()
	cut := 0
	err := filepath.WalkDir(store, func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".blk" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		cut++
		return os.Truncate(path, info.Size()*2/3)
	})
	if err != nil || cut == 0 {
		t.Fatalf("%d files cut, %v", cut, err)
	}
}

func TestFailuresAreRetriedAndThenTold(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), planOf(t, strings.Replace(small, "trials: 4", "trials: 2\nretries: 2", 1))
	sim := &simulator{before: func(_ context.Context, n int32) error {
		if n == 2 {
			return errors.New("the target is gone")
		}
		return nil
	}}
	status, err := local(dir, p, sim).Run(t.Context())
	if err != nil || !status.Complete() || status.Retried != 1 {
		t.Fatalf("%+v, %v: want one trial retried", status, err)
	}
	told := false
	for _, trial := range p.Trials {
		r, err := NewFolder(dir).Results().Read(trial.ID)
		if err != nil {
			t.Fatal(err)
		}
		told = told || strings.Contains(strings.Join(r.Errors, " "), "the target is gone")
	}
	if !told {
		t.Error("no result tells the error of its first attempt")
	}
}

// On one machine nobody else could make what is left, so that failures in a row do
// not end the batch; what failed has its attempts again when somebody resumes it.
func TestOneMachineGoesOnAfterFailures(t *testing.T) {
	t.Parallel()
	const broken = 3 * maxFailures
	dir, p := t.TempDir(), planOf(t, small+"retries: 0\n")
	sim := &simulator{before: func(_ context.Context, n int32) error {
		if n <= broken {
			return errors.New("no such machine")
		}
		return nil
	}}
	status, err := local(dir, p, sim).Run(t.Context())
	if err != nil || status.Failed != broken || status.Done != status.Trials-broken {
		t.Errorf("%+v, %v after %d runs: want %d failed and the rest done", status, err, sim.runs.Load(), broken)
	}
	status, err = local(dir, p, sim).Run(t.Context())
	if err != nil || !status.Complete() || int(sim.runs.Load()) != status.Trials+broken {
		t.Errorf("resumed: %+v, %v after %d runs: want what failed made again, and nothing else", status, err, sim.runs.Load())
	}
}

func TestABreatherGrowsWithFailures(t *testing.T) {
	t.Parallel()
	for failures, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		w := &Worker{terms: Terms{Cooldown: time.Second}}
		w.presence.Failures = failures
		if got := w.breather(); got != want {
			t.Errorf("%v after %d failures, want %v", got, failures, want)
		}
	}
	w := &Worker{terms: Terms{Cooldown: time.Second}}
	if w.presence.Failures = 1000; w.breather() != longestBreather {
		t.Errorf("%v after many failures, want %v", w.breather(), longestBreather)
	}
	if w.terms.Cooldown = time.Hour; w.breather() != time.Hour {
		t.Errorf("%v, want the cool-down itself", w.breather())
	}
}

func TestADeadlineStartsNothingThatCannotEnd(t *testing.T) {
	t.Parallel()
	l := local(t.TempDir(), planOf(t, small), &simulator{})
	l.Deadline = time.Now().Add(l.Plan.Trials[0].Length / 2)
	status, err := l.Run(t.Context())
	if err != nil || status.Done != 0 || status.Planned != 8 {
		t.Errorf("%+v, %v: want nothing begun", status, err)
	}
}

func TestInterruptedAndResumed(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), planOf(t, small)
	ctx, cancel := context.WithCancel(t.Context())
	sim := &simulator{before: func(ctx context.Context, n int32) error {
		if n == 4 {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	status, err := local(dir, p, sim).Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) || status.Done != 3 {
		t.Fatalf("%+v, %v: want three done", status, err)
	}
	status, err = local(dir, p, sim).Run(t.Context())
	if err != nil || !status.Complete() || sim.runs.Load() != 9 {
		t.Errorf("%+v, %v, %d runs: want all done with one run more than trials", status, err, sim.runs.Load())
	}
}
