package batch

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// start runs a process that would stay for an hour, with a mark or without one.
func start(t *testing.T, mark string) *exec.Cmd {
	t.Helper()
	c := exec.Command("sleep", "3600")
	if mark != "" {
		c.Env = append(os.Environ(), markVariable+"="+mark)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	return c
}

func TestOnlyMarkedProcessesAreEnded(t *testing.T) {
	t.Parallel()
	mark := t.TempDir()
	ours, other, none := start(t, mark), start(t, mark+"-other"), start(t, "")
	ended, err := Program{Mark: mark}.Clear(t.Context())
	if err != nil || len(ended) != 1 || !strings.Contains(ended[0], "sleep 3600") {
		t.Fatalf("%q, %v: want the one process named", ended, err)
	}
	if err := ours.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the marked process: %v", err)
	}
	for _, c := range []*exec.Cmd{other, none} {
		if err := c.Process.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("a stranger: %v", err)
		}
	}
	if ended, err := (Program{Mark: mark}).Clear(t.Context()); err != nil || len(ended) > 0 {
		t.Errorf("again: %q, %v", ended, err)
	}
}
