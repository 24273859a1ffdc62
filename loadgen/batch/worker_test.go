package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"edgebench/analysis"
)

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
		Plan: p, Folder: NewFolder(dir), Notice: io.Discard,
		Timing: Timing{Lease: 2 * time.Second, Beat: 100 * time.Millisecond},
	}
	if err := c.Open(ctx, store); err != nil {
		t.Fatal(err)
	}
	worker := func(name string, r Runner) *Worker {
		w := &Worker{Name: name, Node: name, Version: "test", Scratch: filepath.Join(dir, name), Runner: r, Notice: io.Discard}
		if err := errors.Join(w.Join(store), w.open(ctx, "")); err != nil {
			t.Fatal(err)
		}
		return w
	}
	stopped := worker("stopped", &simulator{})
	id, err := stopped.queue.Next(ctx, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := stopped.ledger.Claim(ctx, id, stopped.Name, "its life") // and then nothing more, as after SIGSTOP
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
	if err := stopped.handOver(ctx, &claim{ledger: stopped.ledger, entry: entry}, run, analysis.Valid); !errors.Is(err, ErrFenced) {
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

func TestATargetIsDrivenByOne(t *testing.T) {
	t.Parallel()
	ctx, p, dir := t.Context(), planOf(t, small), t.TempDir()
	store, err := OpenStore(ctx, filepath.Join(dir, storeDir), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := &Coordinator{Plan: p, Folder: NewFolder(dir), Notice: io.Discard, Timing: Timing{Lease: 5 * time.Second, Beat: 100 * time.Millisecond}}
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
		w := &Worker{Name: fmt.Sprintf("w%d", i), Node: "shared", Version: "test", Scratch: filepath.Join(dir, fmt.Sprint(i)), Runner: sim, Notice: io.Discard}
		if err := w.Join(store); err != nil {
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
