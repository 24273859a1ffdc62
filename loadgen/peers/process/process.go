// Package process runs programs pinned to one core and tells what they cost.
// Nothing it starts outlives its owner: a program has a process group of its
// own, which is ended as a whole by its id, and the kernel ends the program
// itself should the owner die first.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Command is a program to run.
type Command struct {
	Args   []string // Args[0] is the program
	Core   int      // the only core it may use, from 0; AnyCore for all that we may
	Env    []string // besides our own environment
	Expect []int    // exit codes besides 0 that are no fault
}

// AnyCore leaves it to the kernel where a program runs.
const AnyCore = -1

// Usage is what a program has cost, its start and end included.
type Usage struct {
	CPU       time.Duration // user and system time
	PeakBytes int64         // largest resident set (VmHWM), as last seen before the end
}

// grace is how long a program that is told to end may take to.
const grace = 2 * time.Second

// cmd is the command, not started. When ctx ends, its process group is killed.
func (c Command) cmd(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = append(cmd.Environ(), c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = grace // an orphan that kept our pipe open must not hold us up
	return cmd
}

// Run runs a command to its end and returns its standard output. An error
// holds the end of its standard error.
func Run(ctx context.Context, c Command) ([]byte, Usage, error) {
	var stdout, stderr bytes.Buffer
	cmd := c.cmd(ctx)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := startPinned(cmd, c.Core); err != nil {
		return nil, Usage{}, err
	}
	peak := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	usage := Usage{CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), PeakBytes: peak()}
	if err == nil || slices.Contains(c.Expect, cmd.ProcessState.ExitCode()) {
		return stdout.Bytes(), usage, nil
	}
	return nil, usage, c.fault(ctx, err, stderr.String())
}

func (c Command) fault(ctx context.Context, err error, stderr string) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	name := filepath.Base(c.Args[0])
	if last := lastLine(stderr); last != "" {
		return fmt.Errorf("%s: %w: %s", name, err, last)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// longest part of a program's last words that an error repeats, in characters.
const longest = 120

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if runes := []rune(last); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return last
}

// startPinned starts cmd on one core: a child inherits the affinity of the
// thread that forks it. The thread's own is put back before it serves others.
func startPinned(cmd *exec.Cmd, core int) error {
	if core == AnyCore {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // back to the pool, not ended: its death would be the child's
	var before, pinned unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("affinity of this thread: %w", err)
	}
	pinned.Set(core)
	if err := unix.SchedSetaffinity(0, &pinned); err != nil {
		return fmt.Errorf("pinning %s to core %d: %w", cmd.Path, core, err)
	}
	err := cmd.Start()
	return errors.Join(err, unix.SchedSetaffinity(0, &before))
}
