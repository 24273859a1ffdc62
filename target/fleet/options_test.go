package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestArgs(t *testing.T) {
	t.Parallel()
	o := Defaults()
	o.Params = map[string]float64{"k": 2.5, "h": 8, "alpha": 1e-9}
	o.Workers, o.Dispatch, o.QueueLimit, o.Tokens, o.Servers = 15, "random", 9, 6, 2
	phase := time.Duration(0)
	o.TickPhase = &phase
	want := strings.Fields(`--listen=127.0.0.1:0 --policy=ewma --param=alpha=1e-09 --param=h=8 --param=k=2.5 --workers=15 --dispatch=random
		--runtime=fork --work=sleep --service=500ms --service-law=fixed --miss=oneoff --miss-wait=300ms --idle-timeout=6s
		--scavenge=1s --tick=2s --queue-limit=9 --tokens=6 --servers=2 --tick-phase=0s --max-workers=64 --reactors=1 --heap=100000000B --start-delay=0s --seed=1`)
	if diff := cmp.Diff(want, Args(o)); diff != "" {
		t.Error(diff)
	}
	for _, arg := range Args(Defaults()) {
		if strings.HasPrefix(arg, "--workers=") || strings.HasPrefix(arg, "--tick-phase=") {
			t.Errorf("%s overrides the node's own choice", arg)
		}
	}
}

func TestFind(t *testing.T) {
	beside, onPath := t.TempDir(), t.TempDir()
	t.Setenv("PATH", onPath)
	if _, err := findBeside(beside); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v", err)
	}
	create(t, filepath.Join(beside, program), 0o644)
	if _, err := findBeside(beside); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), beside+"/target is there but not executable") {
		t.Errorf("got %v, want to hear that the file is not executable", err)
	}
	create(t, filepath.Join(onPath, program), 0o755) // the other is still no candidate
	if got, err := findBeside(beside); err != nil || filepath.Dir(got) != onPath {
		t.Errorf("got %s, %v, want the one on PATH", got, err)
	}
	if err := os.Chmod(filepath.Join(beside, program), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := findBeside(beside); err != nil || filepath.Dir(got) != beside {
		t.Errorf("got %s, %v, want the one beside", got, err)
	}
}

func create(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/true\n"), mode); err != nil {
		t.Fatal(err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var log tail
	for range 3000 {
		_, _ = log.Write([]byte("a line\n"))
	}
	got := log.String()
	if len(got) > tailSize+len("…\n") || !strings.HasPrefix(got, "…\na line\n") || !strings.HasSuffix(got, "a line") {
		t.Errorf("%d bytes: %.20q … %q", len(got), got, got[len(got)-10:])
	}
}
