package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// C14: a target that answers 404 to everything is no throughput.
func TestAllNotFound(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	c := loadgen(t, "", "run", "--url", server.URL, "--rate", "100/s", "--duration", "1s")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	for _, want := range []string{"ok 0/s   errors 100/s", "not one request succeeded (100 http_4xx)", "loadgen CPU "} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, c.stdout.String())
		}
	}
}

// A target that goes away is told with its second, and leaves the verdict to
// what the generator did. Requests of the pre-flight are none of the load.
func TestTargetThatGoesAway(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	var server *httptest.Server
	gone := make(chan struct{})
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) == 150 {
			server.Listener.Close()
			close(gone)
		}
		w.Header().Set("Connection", "close") // the next has to connect
	}))
	t.Cleanup(server.Close)
	c := loadgen(t, "", "run", "--url", server.URL, "--rate", "100/s", "--duration", "4s", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	<-gone
	s := c.summary(t)
	reconcile(t, s)
	if got := strings.Join(s.Warnings, "\n"); !strings.Contains(got, "nothing succeeded from second ") {
		t.Errorf("ok %d, %v; warnings:\n%s", s.Counts.OK, s.ErrorsByClass, got)
	}
	if s.Counts.OK != uint64(served.Load()) || s.Verdict == analysis.Partial {
		t.Errorf("verdict %s, ok %d, served %d", s.Verdict, s.Counts.OK, served.Load())
	}
}

// banner greets every connection as a server of another protocol does.
func banner(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, text)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

// C11: named before anything is scheduled.
func TestTargetOfAnotherProtocol(t *testing.T) {
	t.Parallel()
	address := banner(t, "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
	oneLiner := []string{"run", "--url", "http://user:hunter2@" + address + "/", "--rate", "50/s", "--duration", "1s", "--json"}
	c := loadgen(t, "", oneLiner...)
	c.wantCode(t, c.code(t, c.Run()), exitUnreachable)
	if text := c.stderr.String(); !strings.Contains(text, "answers with SSH") || strings.Contains(text, "hunter2") || c.stdout.Len() > 0 {
		t.Errorf("%s%s", text, c.stdout.String())
	}
	if left, _ := os.ReadDir(filepath.Join(c.Dir, "runs")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	forced := loadgen(t, "", append(oneLiner, "--no-preflight")...)
	forced.wantCode(t, forced.code(t, forced.Run()), exitOK, exitInvalid)
	if s := forced.summary(t); s.Counts.OK != 0 || s.Counts.Errors == 0 {
		t.Errorf("%+v", s.Counts)
	}
	look := loadgen(t, "", "doctor", "--url", "http://"+address, "--json")
	look.wantCode(t, look.code(t, look.Run()), exitUnreachable)
	if !strings.Contains(look.stdout.String(), "answers with SSH") {
		t.Errorf("%s", look.stdout.String())
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "doctor", "p.yaml", "--out", "nowhere/yet")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	for _, want := range []string{"open-files", "clocksource", "disk", " MB free", " failed\n"} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, c.stdout.String())
		}
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "nowhere")); err == nil {
		t.Error("doctor made the output folder")
	}
	// More connections than a process may open, and the profile asks for them.
	limited := loadgen(t, tiny+"connections: 5000\nmax_in_flight: 5000\n", "doctor", "p.yaml", "--json")
	limited.Path, limited.Args = "/bin/sh", []string{"sh", "-c", "ulimit -n 1024; exec \"$@\"", "sh", limited.Path, "doctor", "p.yaml", "--json"}
	limited.wantCode(t, limited.code(t, limited.Run()), exitUsage)
	if !strings.Contains(limited.stdout.String(), "1024 allowed, about 5256 needed") {
		t.Errorf("%s", limited.stdout.String())
	}
	for _, args := range [][]string{{"doctor", "--set", "seed=1"}, {"doctor", "nosuch.yaml"}, {"doctor", "a", "b"}} {
		c := loadgen(t, "", args...)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
	}
}

// C59: in a control group with little CPU a generator that wants a whole core is
// stopped again and again, and says so.
func TestThrottledGenerator(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	group := limitedGroup(t)
	c := loadgen(t, "", "run", "--url", server.URL, "--rate", "100/s", "--duration", "2s", "--set", "precision=spin", "--json")
	script := fmt.Sprintf("echo $$ > %s/cgroup.procs && exec \"$@\"", group)
	c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", script, "sh", c.Path}, c.Args[1:]...)
	c.wantCode(t, c.code(t, c.Run()), exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	if g := s.Generator; g.ThrottledPeriods == nil || *g.ThrottledPeriods == 0 || *g.ThrottledNS == 0 || *g.CoresUsable != 0.2 {
		t.Errorf("%+v", g)
	}
	if got := strings.Join(s.Reasons, "\n"); !strings.Contains(got, "the CPU limit of its control group stopped it in ") {
		t.Errorf("reasons: %s", got)
	}
}

// limitedGroup makes a control group of a fifth of a core, of version 1 or 2,
// and removes it at the end. Where that is not allowed the test is skipped.
func limitedGroup(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("loadgen-test-%d", os.Getpid())
	for _, v := range []struct{ mount, file, limit string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "20000"},
		{"/sys/fs/cgroup", "cpu.max", "20000 100000"},
	} {
		dir := filepath.Join(v.mount, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, v.file), []byte(v.limit), 0) == nil {
			return dir
		}
	}
	t.Skip("no control group with a CPU limit can be made here")
	return ""
}

// Functions have results of their own, and thresholds.
func TestFunctionsOfARun(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	profile := `name: several
target: {url: '` + server.URL + `'}
functions: [{name: often, weight: 3}, {name: seldom, weight: 1}]
phases: [{name: load, rate: 100/s, for: 1s}]
thresholds: ["fn.often.error_rate <= 0", "fn.seldom.counts.scheduled > 50"]
`
	c := loadgen(t, profile, "run", "p.yaml", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitThresholdsFailed, exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	if len(s.Functions) != 2 || s.Functions[0].Counts.Scheduled+s.Functions[1].Counts.Scheduled != 100 {
		t.Fatalf("%+v", s.Functions)
	}
	for i, want := range []bool{true, false} {
		if th := s.Thresholds[i]; th.Met != want {
			t.Errorf("%s is met: %t at %s", th.Expression, th.Met, th.Value)
		}
	}
	runs, _, err := rundir.List(filepath.Join(c.Dir, "runs"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	hist, err := os.ReadFile(filepath.Join(runs[0], rundir.HistogramsFile))
	if err != nil || !strings.Contains(string(hist), "Tag=response.fn.often,") {
		t.Errorf("no histogram of a function: %v", err)
	}
}
