package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/qpn/twin"
	"edgebench/profiles"
)

// simulator makes real run directories, by the twin, in milliseconds.
type simulator struct {
	runs   atomic.Int32
	before func(ctx context.Context, n int32) error // of each run; nil for nothing
}

func (s *simulator) Run(ctx context.Context, profile, dir string, seed uint64) (string, analysis.Verdict, error) {
	n := s.runs.Add(1)
	if s.before != nil {
		if err := s.before(ctx, n); err != nil {
			return "", "", err
		}
	}
	p, err := profiles.Load(profile)
	if err != nil {
		return "", "", err
	}
	p.Seed = seed
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", err
	}
	run, err := twin.Trial{Profile: p, Phase: -1}.Record(ctx, dir, "test", nil)
	return run, analysis.Valid, err
}

func planOf(t *testing.T, text string) *Plan {
	t.Helper()
	b, err := profiles.ParseBatch("b.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(b, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const small = `
name: small
profiles: [bursty-ramp-quick]
policies: [ewma, reactive]
trials: 4
cooldown: 0s
`

func TestPlanInterleavesAndPairs(t *testing.T) {
	t.Parallel()
	p := planOf(t, "name: b\nprofiles: [bursty-ramp-quick, two-cycle]\npolicies: [ewma, reactive]\ntrials: 20\nvariants: {short: ['target.bundled.tick=1s'], long: ['target.bundled.tick=4s']}\n")
	if len(p.Trials) != 2*2*2*20 {
		t.Fatalf("%d trials", len(p.Trials))
	}
	orders := map[string]bool{}
	ids := map[string]bool{}
	for block := range 20 {
		var modes []string
		trials := p.Trials[block*8 : block*8+8]
		for _, trial := range trials {
			if trial.Number != block+1 || trial.Seed != trials[0].Seed {
				t.Errorf("block %d: number %d, seed %d beside %d", block, trial.Number, trial.Seed, trials[0].Seed)
			}
			modes = append(modes, trial.Name+" "+trial.Mode)
			ids[trial.ID] = true
		}
		orders[strings.Join(modes, ",")] = true
		slices.Sort(modes)
		if len(slices.Compact(modes)) != 8 {
			t.Errorf("block %d lacks a combination: %v", block, modes)
		}
	}
	if len(orders) < 15 || len(ids) != len(p.Trials) {
		t.Errorf("%d orders of 20 blocks, %d ids of %d trials", len(orders), len(ids), len(p.Trials))
	}
	if again := planOf(t, "name: b\nprofiles: [bursty-ramp-quick]\ntrials: 1\n"); again.Trials[0].Mode != "ewma" {
		t.Errorf("mode %q without policies, want the profile's own", again.Trials[0].Mode)
	}
}

func TestPlanReportsEveryFault(t *testing.T) {
	t.Parallel()
	b, err := profiles.ParseBatch("b.yaml", []byte("name: b\nprofiles: [nowhere, bursty-ramp, bursty-ramp]\nsets: ['seed=x']\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewPlan(b, "test", nil)
	for _, want := range []string{"nowhere", "seed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	b.Profiles, b.Sets = b.Profiles[1:], nil
	if _, err := NewPlan(b, "test", nil); err == nil || !strings.Contains(err.Error(), "again") {
		t.Errorf("a profile twice: %v", err)
	}
}

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

// A damaged result and a lost store are noticed and mended: what is whole stays.
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

func TestAWorkerThatKeepsFailingIsQuarantined(t *testing.T) {
	t.Parallel()
	sim := &simulator{before: func(context.Context, int32) error { return errors.New("no such machine") }}
	status, err := local(t.TempDir(), planOf(t, small), sim).Run(t.Context())
	if !errors.Is(err, ErrQuarantined) || status.Complete() || sim.runs.Load() != maxFailures {
		t.Errorf("%+v, %v after %d runs", status, err, sim.runs.Load())
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

// An interrupted batch loses the trial in progress and nothing else.
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

// A worker that stops being heard of loses its trial to another one; what it
// brings later is refused.
func TestALateWorkerIsFenced(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), planOf(t, strings.Replace(small, "trials: 4", "trials: 1", 1))
	dir := t.TempDir()
	store, err := OpenStore(ctx, filepath.Join(dir, storeDir), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := &Coordinator{
		Plan: p, Results: NewFolder(dir).Results(), Notice: io.Discard,
		Timing: Timing{Lease: 2 * time.Second, Beat: 100 * time.Millisecond},
	}
	if err := c.Open(ctx, store); err != nil {
		t.Fatal(err)
	}
	worker := func(name string, r Runner) *Worker {
		w := &Worker{Name: name, Target: name, Version: "test", Scratch: filepath.Join(dir, name), Runner: r, Notice: io.Discard}
		if err := w.Join(ctx, store); err != nil {
			t.Fatal(err)
		}
		return w
	}
	stopped := worker("stopped", &simulator{})
	id, err := stopped.queue.Next(ctx, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	claim, err := stopped.ledger.Claim(ctx, id, stopped.Name) // and then nothing more, as after SIGSTOP
	if err != nil {
		t.Fatal(err)
	}
	working, rest := context.WithCancel(ctx)
	var wg sync.WaitGroup
	quick := worker("quick", &simulator{})
	wg.Go(func() {
		if err := quick.Work(working); err != nil {
			t.Error(err)
		}
	})
	status, err := c.Run(ctx)
	rest()
	wg.Wait()
	if err != nil || !status.Complete() || status.Retried == 0 {
		t.Fatalf("%+v, %v: want all done, one by its second worker", status, err)
	}
	run, _, err := (&simulator{}).Run(ctx, writeProfile(t, p), filepath.Join(dir, "late"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := stopped.handOver(ctx, &claim, run, analysis.Valid); !errors.Is(err, ErrFenced) {
		t.Errorf("the late result: %v, want %v", err, ErrFenced)
	}
	r, err := NewFolder(dir).Results().Read(id)
	if err != nil || r.Worker != "quick" || r.Attempt < 2 {
		t.Errorf("%+v, %v: want the quick worker's", r, err)
	}
}

func writeProfile(t *testing.T, p *Plan) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.yaml")
	for _, profile := range p.Profiles {
		if err := os.WriteFile(path, profile.YAML(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// One trial at a time drives a target, however many workers there are.
func TestATargetIsDrivenByOne(t *testing.T) {
	t.Parallel()
	ctx, p, dir := t.Context(), planOf(t, small), t.TempDir()
	store, err := OpenStore(ctx, filepath.Join(dir, storeDir), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := &Coordinator{Plan: p, Results: NewFolder(dir).Results(), Notice: io.Discard, Timing: Timing{Lease: 5 * time.Second, Beat: 100 * time.Millisecond}}
	if err := c.Open(ctx, store); err != nil {
		t.Fatal(err)
	}
	var driving, most atomic.Int32
	sim := &simulator{before: func(context.Context, int32) error {
		most.Store(max(most.Load(), driving.Add(1)))
		defer driving.Add(-1)
		for range 1000 { // long enough for another to come in, if it could
			_ = fmt.Sprint(driving.Load())
		}
		return nil
	}}
	working, rest := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for i := range 3 {
		w := &Worker{Name: fmt.Sprintf("w%d", i), Target: "shared", Version: "test", Scratch: filepath.Join(dir, fmt.Sprint(i)), Runner: sim, Notice: io.Discard}
		if err := w.Join(ctx, store); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := w.Work(working); err != nil {
				t.Error(err)
			}
		})
	}
	status, err := c.Run(ctx)
	rest()
	wg.Wait()
	if err != nil || !status.Complete() || most.Load() != 1 {
		t.Errorf("%+v, %v, %d at once", status, err, most.Load())
	}
}

func TestAnotherPlanIsRefused(t *testing.T) {
	t.Parallel()
	f, p := NewFolder(t.TempDir()), planOf(t, small)
	if err := f.Save(p, []byte(small)); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(planOf(t, small), []byte(small)); err != nil {
		t.Errorf("the same plan: %v", err)
	}
	if err := f.Save(planOf(t, strings.Replace(small, "trials: 4", "trials: 5", 1)), nil); !errors.Is(err, ErrOtherPlan) {
		t.Errorf("other trials: %v", err)
	}
	if _, err := f.Load(); err != nil {
		t.Errorf("load: %v", err)
	}
	stored, err := filepath.Glob(filepath.Join(f.dir, profilesDir, "*.yaml"))
	if err != nil || len(stored) == 0 {
		t.Fatal(stored, err)
	}
	data, err := os.ReadFile(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored[0], []byte(strings.Replace(string(data), "timeout: 10s", "timeout: 9s", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), "was edited") {
		t.Errorf("an edited profile: %v", err)
	}
}

func TestOneCoordinatorAFolder(t *testing.T) {
	t.Parallel()
	f := NewFolder(t.TempDir())
	release, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Lock(); err == nil {
		t.Error("two coordinators")
	}
	release()
	again, err := f.Lock()
	if err != nil {
		t.Fatal(err)
	}
	again()
}
