package process

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// sh runs a shell command on the first core that we may use.
func sh(t *testing.T, script string) Command {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	core := 0
	for !set.IsSet(core) {
		core++
	}
	return Command{Args: []string{"/bin/sh", "-c", script}, Core: core}
}

func TestRunIsPinnedAndCounted(t *testing.T) {
	t.Parallel()
	c := sh(t, `grep Cpus_allowed_list /proc/self/status; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done`)
	out, usage, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(out)); len(fields) != 2 || strings.ContainsAny(fields[1], "-,") {
		t.Errorf("%q: want a single core", out)
	}
	if usage.CPU <= 0 || usage.PeakBytes <= 0 {
		t.Errorf("usage %+v: want processor time and memory of a loop of 100,000", usage)
	}
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil || mine.Count() == 0 {
		t.Errorf("our own affinity: %v cores, %v", mine.Count(), err)
	}
}

func TestFaultsTellTheProgramsOwnWords(t *testing.T) {
	t.Parallel()
	_, _, err := Run(t.Context(), sh(t, "echo out of luck >&2; exit 7"))
	if err == nil || !strings.Contains(err.Error(), "sh: exit status 7: out of luck") {
		t.Errorf("got %v", err)
	}
	c := sh(t, "echo figures; exit 11")
	c.Expect = []int{11}
	if out, _, err := Run(t.Context(), c); err != nil || string(out) != "figures\n" {
		t.Errorf("an expected code: %q, %v", out, err)
	}
}

// A cancelled run ends with everything the program started.
func TestCancelEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	lines := make(firstByte, 1)
	s, err := Serve(ctx, sh(t, "sleep 600 & echo $!; wait"), nil, lines)
	if err != nil {
		t.Fatal(err)
	}
	child := <-lines
	cancel()
	<-s.Ended()
	if child == "" || s.Fault() == nil {
		t.Errorf("child %q, fault %v", child, s.Fault())
	}
	// The pipe of the output closes with its last holder, so Wait has seen the child end too.
	if errors.Is(s.err, exec.ErrWaitDelay) {
		t.Errorf("somebody still holds the output: %v", s.err)
	}
}

// firstByte hands over what is first written to it.
type firstByte chan string

func (f firstByte) Write(p []byte) (int, error) {
	select {
	case f <- strings.TrimSpace(string(p)):
	default:
	}
	return len(p), nil
}

func TestStoppedIsNotReachable(t *testing.T) {
	t.Parallel()
	s, err := Serve(t.Context(), sh(t, "exec sleep 600"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	s.Stop()
	if err := s.Reachable(t.Context(), "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("a server that was stopped: %v", err)
	}
}

func TestParsePeak(t *testing.T) {
	t.Parallel()
	if n, err := parsePeak("status", "VmPeak:\t 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1 kB\n"); err != nil || n != 1234<<10 {
		t.Errorf("%d, %v", n, err)
	}
	for _, text := range []string{"VmRSS:\t1 kB\n", "VmHWM:\tmuch\n"} {
		if _, err := parsePeak("status", text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
