// Package proctest does to real processes what tests of a node need, and waits
// until it is done.
package proctest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Stop stops a process and returns when each of its threads has stopped: until
// then one that runs on another core may still answer what it is asked.
func Stop(t testing.TB, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(os.NewSyscallError(fmt.Sprintf("kill %d", pid), err))
	}
	for !stopped(t, pid) {
		runtime.Gosched()
	}
}

func stopped(t testing.TB, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("process %d has no threads: %v", pid, err)
	}
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err != nil {
			return false // a thread that ended meanwhile: look again
		}
		// The state follows the name, which may hold anything but ends in the last ")".
		if at := strings.LastIndex(string(text), ") "); at < 0 || text[at+2] != 'T' {
			return false
		}
	}
	return true
}
