package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/fitter"
	"edgebench/target/smaps"
	"edgebench/target/worker"
)

// targetRole makes this test binary the node.
const targetRole = "EDGEBENCH_TEST_TARGET"

// limitRole, as its value, makes it a helper that limits another process of its user.
const limitRole = "limit"

func limitForks(pid, most string) int {
	process, pidErr := strconv.Atoi(pid)
	n, err := strconv.ParseUint(most, 10, 64)
	var limit unix.Rlimit
	if err = errors.Join(pidErr, err, unix.Prlimit(process, unix.RLIMIT_NPROC, nil, &limit)); err == nil {
		limit.Cur = min(n, limit.Max)
		err = unix.Prlimit(process, unix.RLIMIT_NPROC, &limit, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitInternal
	}
	return exitOK
}

func TestMain(m *testing.M) {
	worker.Main()
	fitter.Main()
	switch os.Getenv(targetRole) {
	case "":
		os.Exit(m.Run())
	case limitRole:
		os.Exit(limitForks(os.Args[1], os.Args[2]))
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func TestReadyLine(t *testing.T) {
	t.Parallel()
	p := three(t)
	want := map[string]any{
		"ready": true, "addr": p.addr, "pid": float64(p.cmd.Process.Pid),
		"policy": "static", "runtime": "fork", "work": "sleep", "version": version,
	}
	if fmt.Sprint(p.ready) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", p.ready, want)
	}
	if n := len(p.stats().Pids.Workers); n != 3 {
		t.Errorf("%d workers at ready, want 3", n)
	}
}

func TestTermDuringLoad(t *testing.T) {
	t.Parallel()
	p := three(t)
	thaw := p.freeze()
	answered := p.load(3)
	s := p.untilBusy(3)
	p.signal(unix.SIGTERM)
	thaw()
	if n := <-answered; n != 3 {
		t.Errorf("%d of 3 requests in flight were answered", n)
	}
	if code := p.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
	for _, pid := range s.children() {
		if alive(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := three(t, "--service", "1h", "--drain-timeout", "1h")
	answered := p.load(1)
	s := p.untilBusy(1)
	p.signal(unix.SIGINT)
	for { // the second counts when the first has been taken: the port is closed then
		if _, err := p.get("/ping"); err != nil {
			break
		}
	}
	p.signal(unix.SIGTERM)
	if code := p.wait(); code != exitInternal {
		t.Errorf("exit %d, want %d\n%s", code, exitInternal, p.stderr)
	}
	<-answered
	awaitGone(s.children())
}

// After kill -9 no process is left, and the port can be had at once.
func TestKill9(t *testing.T) {
	t.Parallel()
	p := three(t)
	p.freeze()
	answered := p.load(4)
	s := p.untilBusy(3)
	p.signal(unix.SIGKILL)
	p.wait()
	<-answered
	awaitGone(s.children())
	again := three(t, "--listen", p.addr)
	if again.addr != p.addr {
		t.Errorf("restarted on %s, want %s", again.addr, p.addr)
	}
}

// A template that cannot fork, here for a limit that the kernel enforces, is asked
// again after growing pauses; when it can, the pool heals. The limit does not bind
// root, so a root's test hands the node to nobody.
func TestForkFails(t *testing.T) {
	t.Parallel()
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	p := launchAs(t, attr, threeArgs()...)
	s := p.stats()
	limit := func(processes uint64) {
		t.Helper()
		helper := exec.Command("/proc/self/exe", strconv.Itoa(s.Pids.Template), strconv.FormatUint(processes, 10))
		helper.Env, helper.SysProcAttr = append(os.Environ(), targetRole+"="+limitRole), attr
		if out, err := helper.CombinedOutput(); err != nil {
			t.Fatalf("limit: %v: %s", err, out)
		}
	}
	limit(1)
	if err := unix.Kill(s.Pids.Workers[0], unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	failed := p.happened("error", "start_failed")
	for len(failed) < 3 {
		if ok := <-p.load(2); ok != 2 { // the other workers serve
			t.Fatalf("%d of 2 answered", ok)
		}
		failed = p.happened("error", "start_failed")
	}
	for i, e := range failed {
		if !strings.Contains(e.Error, "clone: resource temporarily unavailable") {
			t.Errorf("event %+v", e)
		}
		if pause := 100 * time.Millisecond << max(i-1, 0); i > 0 && time.Duration(e.At-failed[i-1].At) < pause {
			t.Errorf("start %d failed %v after the one before, want a pause of %v", i+1, time.Duration(e.At-failed[i-1].At), pause)
		}
	}
	limit(math.MaxUint64)
	for healed := s; len(healed.Pids.Workers) != 3 || healed.Workers.Idle != 3; {
		healed = p.stats()
	}
	if p.stats().Pids.Template != s.Pids.Template {
		t.Error("the template that could not fork was replaced")
	}
}

// The fitter ends with its node, however that ends.
func TestFitterEndsWithTheNode(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{unix.SIGKILL, unix.SIGTERM} {
		p := three(t, "--policy", "arima")
		s := p.stats()
		for s.Pids.Fitter == 0 {
			s = p.stats()
		}
		p.signal(sig)
		p.wait()
		awaitGone(s.children())
	}
}

func TestAttached(t *testing.T) {
	t.Parallel()
	p := three(t, "--attached")
	s := p.stats()
	_ = p.stdin.Close()
	if code := p.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, p.stderr)
	}
	awaitGone(s.children())
}

func TestBusyPort(t *testing.T) {
	t.Parallel()
	p := three(t)
	var stderr strings.Builder
	code := run([]string{"--listen", p.addr}, nil, io.Discard, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), p.addr+": bind: address already in use; choose another") {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}

func TestExecRuntime(t *testing.T) {
	t.Parallel()
	p := three(t, "--runtime", "exec", "--service-law", "exponential")
	if n := <-p.load(5); n != 5 {
		t.Errorf("%d of 5 answered", n)
	}
	if s := p.stats(); s.Pids.Template != 0 {
		t.Errorf("exec has no template: %+v", s)
	}
}

// TestMemory prints what 15 workers of the default heap cost; nothing is asserted
// but that sharing shows.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("15 workers of 100 MB")
	}
	p := launch(t, "--listen", "127.0.0.1:0", "--policy", "static", "--workers", "15", "--service", "1ms")
	<-p.load(30)
	s := p.stats()
	var node, all smaps.Memory
	for _, pid := range append(s.children(), s.Pids.Node) {
		var err error
		if node, err = smaps.Read(pid); err != nil { // the last is the node
			t.Fatal(err)
		}
		all = all.Add(node)
	}
	t.Logf("node, template and 15 workers: RSS %d MB, PSS %d MB; the node alone: RSS %d kB, PSS %d kB",
		all.RSS/1e6, all.PSS/1e6, node.RSS/1e3, node.PSS/1e3)
	if all.PSS*5 > all.RSS {
		t.Errorf("RSS %d, PSS %d bytes: the template's heap is not shared", all.RSS, all.PSS)
	}
}

// TestChurn starts and ends many one-offs and looks for what they left behind:
// descriptors of the node and processes.
func TestChurn(t *testing.T) {
	t.Parallel()
	p := three(t, "--workers", "1", "--miss", "oneoff", "--miss-wait", "0s")
	thaw := p.freeze()
	defer thaw()
	busy := p.load(1)
	before := p.untilBusy(1)
	<-p.load(8) // connections as there will be
	open := p.descriptors()
	n := 400
	if testing.Short() {
		n = 40
	}
	for range n / 8 {
		if ok := <-p.load(8); ok != 8 {
			t.Fatalf("%d of 8 answered\n%s", ok, p.stderr)
		}
	}
	for len(p.stats().Pids.Workers) > len(before.Pids.Workers) {
	}
	if now := p.descriptors(); now > open+16 { // connections come and go by a few
		t.Errorf("%d descriptors after %d one-offs, %d before", now, n, open)
	}
	thaw()
	<-busy
}
