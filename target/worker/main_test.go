package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Roles in the environment that make this binary a small node.
const (
	holderRole  = "EDGEBENCH_TEST_HOLDER"  // starts workers of the runtime named and waits to be killed
	limitedRole = "EDGEBENCH_TEST_LIMITED" // the template of the runtime named may not fork
)

func TestMain(m *testing.M) {
	Main()
	if kind := os.Getenv(holderRole); kind != "" {
		hold(kind)
	}
	if kind := os.Getenv(limitedRole); kind != "" {
		if err := startLimited(kind); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open starts a runtime with a small heap and closes it at the test's end.
func open(t testing.TB, kind string, o Options) Runtime {
	t.Helper()
	if o.Heap == 0 {
		o.Heap = 1 << 20
	}
	r, err := Open(kind, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func start(t testing.TB, r Runtime) *Worker {
	t.Helper()
	w, err := r.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// eachKind runs a test for every registered runtime.
func eachKind(t *testing.T, f func(t *testing.T, kind string)) {
	for _, kind := range Names() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			installed(t, kind, Sleep)
			f(t, kind)
		})
	}
}

// installed skips a test of a runtime that this machine has no program for.
func installed(t testing.TB, kind, work string) {
	t.Helper()
	if !strings.HasPrefix(kind, "python") {
		return
	}
	o := Options{Work: work}
	o.fill()
	if _, err := findPython(o, systemPython, "python3"); errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
}

// templated are the runtimes that fork their workers.
var templated = []string{"fork", "python"}

// status reads one field of /proc/<pid>/status, empty if the process is gone.
func status(pid int, field string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// descriptors lists what the open files of a process are.
func descriptors(t testing.TB, pid int) []string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			targets = append(targets, target)
		}
	}
	return targets
}
