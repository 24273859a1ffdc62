package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// From a probe to a run: what was written plays, and what a target says of itself
// reaches the terminal plain.
func TestProbeWritesAProfileThatRuns(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			return
		}
		if served.Add(1) == 1 {
			w.Header().Set("X-Cold-Start", "true")
		} else {
			w.Header().Set("X-Cold-Start", "false")
		}
		w.Header().Set("Server", "bad\u009b31mred")
	}))
	t.Cleanup(server.Close)
	c := loadgen(t, "", "probe", server.URL+"/fn", "--idle", "10ms", "--write", "mine.yaml")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	text := c.stdout.String()
	if served.Load() != 12 || strings.ContainsAny(text, "\x1b\u009b") {
		t.Errorf("%d requests:\n%q", served.Load(), text)
	}
	for _, want := range []string{"(cold)", "the header X-Cold-Start is a mark; 1 answers", "loadgen run mine.yaml", "keep-alive"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	again := loadgen(t, "", "probe", server.URL+"/fn", "--write", "mine.yaml", "--requests", "1", "--max-requests", "2", "--idle", "1s,-1s")
	again.Dir = c.Dir
	again.wantCode(t, again.code(t, again.Run()), exitUsage)
	for _, want := range []string{"--requests 1:", "--idle -1s:", "5 requests, more than --max-requests 2", "mine.yaml: exists already"} {
		if !strings.Contains(again.stderr.String(), want) {
			t.Errorf("%q is not in:\n%s", want, again.stderr.String())
		}
	}
	run := loadgen(t, "", "run", "mine.yaml", "--json", "--quiet", "--set", "phases.warmup.for=500ms", "--set", "phases.quiet.for=10ms", "--set", "phases.return.for=500ms")
	run.Dir = c.Dir
	run.wantCode(t, run.code(t, run.Run()), exitOK, exitInvalid)
	if s := run.summary(t); s.Counts.OK != 30 || s.Cold.Marked != 30 || *s.Cold.Truth != 0 {
		t.Errorf("%+v %+v", s.Counts, s.Cold)
	}
	if _, err := os.Stat(c.Dir + "/mine.yaml"); err != nil {
		t.Error(err)
	}
}

// A Ctrl-C while an endpoint keeps its answer to itself is no fault of the program.
func TestProbeIsInterrupted(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := loadgen(t, "", "probe", "http://"+l.Addr().String()+"/", "--write", "mine.yaml")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	silent, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
	if _, err := os.Stat(c.Dir + "/mine.yaml"); err == nil {
		t.Error("a profile was written")
	}
}

func TestProbeOfNobody(t *testing.T) {
	t.Parallel()
	missing := httptest.NewServer(http.NotFoundHandler())
	address := missing.URL
	c := loadgen(t, "", "probe", address, "--idle", "0s", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitUnreachable)
	if !strings.Contains(c.stdout.String(), `"failed": 12`) {
		t.Errorf("%s", c.stdout.String())
	}
	missing.Close()
	gone := loadgen(t, "", "probe", address)
	gone.wantCode(t, gone.code(t, gone.Run()), exitUnreachable)
	ssh := loadgen(t, "", "probe", "http://"+banner(t, "SSH-2.0-\x1b[31mOpenSSH\r\n"))
	ssh.wantCode(t, ssh.code(t, ssh.Run()), exitUnreachable)
	if text := ssh.stderr.String(); !strings.Contains(text, "answers with SSH") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}
