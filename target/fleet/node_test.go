package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func startFake(t *testing.T, name string) *Node {
	t.Helper()
	cfg := fake(name)
	cfg.StopTimeout = time.Minute
	n, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	return n
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	n := startFake(t, "ready")
	want := Ready{Ready: true, Addr: "127.0.0.1:1", PID: n.cmd.Process.Pid, Policy: "ewma", Runtime: "fork", Version: "v1"}
	if n.Ready != want {
		t.Errorf("ready %+v, want %+v", n.Ready, want)
	}
	if !slices.Contains(n.Args, "--attached") || !slices.Contains(n.Args, "--policy=ewma") {
		t.Errorf("arguments %q", n.Args)
	}
	if group, err := unix.Getpgid(n.PID); err != nil || group != n.PID {
		t.Errorf("process group %d (%v), want its own, %d", group, err, n.PID)
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if n.Log() != "serving" {
		t.Errorf("log %q", n.Log())
	}
	if err := n.Stop(t.Context()); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"refusing":  "target ended before it was ready: exit status 2: flag --policy: unknown",
		"done":      "target ended before it was ready: exit status 0",
		"talkative": `"good morning": not a ready line`,
		"endless":   "first line is longer than 65536 bytes",
		"half":      "address nowhere: missing port",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := Start(t.Context(), fake(name))
			if err == nil {
				n.kill()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %q, want %q in it", err, want)
			}
		})
	}
	var exit *ExitError
	if _, err := Start(t.Context(), fake("refusing")); !errors.As(err, &exit) || exit.Code != 2 || exit.Ready {
		t.Errorf("got %#v", err)
	}
}

func TestNotReadyInTime(t *testing.T) {
	t.Parallel()
	cfg := fake("silent")
	cfg.ReadyTimeout = time.Nanosecond
	if _, err := Start(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "no ready line within 1ns") {
		t.Errorf("got %v", err)
	}
}

func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := fake("silent")
	cfg.Stderr = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if _, err := Start(ctx, cfg); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "still thinking") {
		t.Errorf("got %v", err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestEarlyDeath(t *testing.T) {
	t.Parallel()
	n := startFake(t, "ready")
	if err := syscall.Kill(n.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-n.Exited()
	var exit *ExitError
	if err := n.Wait(); !errors.As(err, &exit) || !exit.Ready || exit.Code != -1 || exit.State != "signal: killed" {
		t.Errorf("got %v", err)
	}
	if err := n.Stop(t.Context()); !errors.As(err, &exit) {
		t.Errorf("stop hides the death: %v", err)
	}
}

func TestStubbornNodeIsKilled(t *testing.T) {
	t.Parallel()
	n := startFake(t, "stubborn")
	n.stopTimeout = time.Millisecond
	if err := n.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "killed: not gone 1ms after SIGTERM") {
		t.Errorf("got %v", err)
	}
	n = startFake(t, "stubborn")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.Stop(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-n.Exited():
	default:
		t.Error("it lives after Stop")
	}
}

// The node here takes no SIGTERM and has no parent-death signal: the pipe ends it.
func TestKilledOwnerTakesItsNodeAlong(t *testing.T) {
	t.Parallel()
	owner := exec.Command("/proc/self/exe", fakeFlag+"owner")
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	node, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(node)
	_ = owner.Process.Kill()
	_ = owner.Wait() // its status is the signal
	poll := []unix.PollFd{{Fd: int32(node), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 30_000)
		if err == unix.EINTR {
			continue
		}
		if n != 1 || err != nil {
			_ = unix.Kill(pid, unix.SIGKILL)
			t.Errorf("the node outlived its owner (%v)", err)
		}
		return
	}
}
