package worker

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hold is a node in small: it starts workers, idle and busy ones, prints the pids of
// all its processes and waits to be killed.
func hold(kind string) {
	r, err := Open(kind, Options{Heap: 1 << 20})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if f, ok := r.(*forkRuntime); ok {
		fmt.Println(f.TemplatePID())
	}
	for i := range 6 {
		w, err := r.Start(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if i%2 == 0 {
			go func() { _, _ = w.Do(Request{Service: time.Hour}) }()
		}
		fmt.Println(w.PID)
	}
	fmt.Println(0)
	select {}
}

func TestKilledNodeLeavesNothing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		node := exec.Command("/proc/self/exe")
		node.Env = append(os.Environ(), holderRole+"="+kind)
		node.Stderr = os.Stderr
		out, err := node.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := node.Start(); err != nil {
			t.Fatal(err)
		}
		pidfds := map[int]int{}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var pid int
			if _, err := fmt.Sscan(lines.Text(), &pid); err != nil {
				t.Fatalf("holder printed %q", lines.Text())
			}
			if pid == 0 {
				break
			}
			if pidfds[pid], err = unix.PidfdOpen(pid, 0); err != nil {
				t.Fatalf("pidfd_open %d: %v", pid, err)
			}
		}
		if err := node.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = node.Wait() // its status is the signal
		if len(pidfds) < 6 {
			t.Fatalf("holder started %d processes", len(pidfds))
		}
		for pid, fd := range pidfds {
			waitEnd(t, pid, fd)
			unix.Close(fd)
		}
	})
}

// waitEnd waits until a process that is not our child has ended. The test's own
// timeout is the bound; a survivor blocks here and is named in the traceback.
func waitEnd(t *testing.T, pid, fd int) {
	t.Helper()
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 30_000)
		switch {
		case err == unix.EINTR:
		case err != nil:
			t.Fatal(os.NewSyscallError("poll", err))
		case n == 0:
			_ = unix.Kill(pid, unix.SIGKILL)
			t.Errorf("pid %d (%s) outlived its node", pid, status(pid, "Name"))
			return
		default:
			return
		}
	}
}
