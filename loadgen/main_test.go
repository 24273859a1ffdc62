package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"edgebench/analysis"
)

// bin holds both programs, built once for all tests: the real ones, run as users run them.
var bin string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "loadgen-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+"/", "edgebench/loadgen", "edgebench/target")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	bin = dir
	return m.Run()
}

// tiny is a profile of the bundled node that takes a second or so; its heap is
// small, so that tests may run side by side.
const tiny = `name: tiny
target: {bundled: {policy: {static: {}}, workers: 2, service: 5ms, tick: 200ms, heap: 1MB, max_workers: 8}}
request: {method: POST, path: /invoke, timeout: 5s}
phases:
  - {name: warmup, rate: 20/s, for: 500ms}
  - {name: spike, rate: 100/s, for: 500ms, measure: cold}
cycles: {count: 2, override: {1: {warmup: {for: 250ms}}}}
cold: {threshold: 50ms}
drain_timeout: 5s
`

type command struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr sharedBuffer
}

// A sharedBuffer can be read while a process still writes to it.
type sharedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sharedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sharedBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// loadgen prepares the program in a folder of its own with the given profile in
// it; the run directories go to out.
func loadgen(t testing.TB, profile string, args ...string) *command {
	t.Helper()
	dir := t.TempDir()
	if profile != "" {
		if err := os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(profile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	c := &command{Cmd: exec.CommandContext(ctx, filepath.Join(bin, "loadgen"), args...)}
	c.Dir = dir
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// code waits for the end and returns the exit code, -1 for a signal.
func (c *command) code(t testing.TB, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

func (c *command) summary(t testing.TB) *analysis.Summary {
	t.Helper()
	s := new(analysis.Summary)
	if err := json.Unmarshal(c.stdout.Bytes(), s); err != nil {
		t.Fatalf("%v\nstdout: %s\nstderr: %s", err, c.stdout.String(), c.stderr.String())
	}
	return s
}

// wantCode fails the test unless the code is one of those.
func (c *command) wantCode(t testing.TB, got int, want ...int) {
	t.Helper()
	for _, w := range want {
		if got == w {
			return
		}
	}
	t.Fatalf("exit %d, want one of %v\nstdout: %s\nstderr: %s", got, want, c.stdout.String(), c.stderr.String())
}

// reconcile checks what every run promises.
func reconcile(t *testing.T, s *analysis.Summary) {
	t.Helper()
	c := s.Counts
	if c.Scheduled != c.Sent+c.Dropped || c.Sent != c.OK+c.Errors+c.OpenAtEnd {
		t.Errorf("counts do not reconcile: %+v", c)
	}
}

// eventually polls for something that other processes bring about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
