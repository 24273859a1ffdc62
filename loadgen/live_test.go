package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A port that is taken is told before anything is started or written.
func TestLivePageOnATakenPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, flag := range []string{"--live", "--metrics"} {
		c := loadgen(t, tiny, "run", "p.yaml", flag, l.Addr().String())
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if said := c.stderr.String(); !strings.Contains(said, flag+" "+l.Addr().String()+": somebody listens there already") {
			t.Errorf("%s: %s", flag, said)
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "runs")); err == nil {
			t.Error("a run directory was begun")
		}
	}
}

// A browser that connects and never reads does not keep the run from its end, and
// a run that is stopped on the page is kept, with the reason.
func TestLivePageHoldsNothingUp(t *testing.T) {
	t.Parallel()
	c, page, _ := watched(t)
	dead, err := net.Dial("tcp", page.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	if _, err := io.WriteString(dead, "GET /stream HTTP/1.1\r\nHost: "+page.Host+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	c.stop(t, page)
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*-tiny-ewma-*"))
	if len(dirs) != 1 {
		t.Fatalf("run directories %v, want one", dirs)
	}
	manifest, err := os.ReadFile(filepath.Join(dirs[0], "manifest.json"))
	if err != nil || !strings.Contains(string(manifest), "stopped from the live page") {
		t.Errorf("%v: the manifest does not say who stopped it", err)
	}
	events, err := os.ReadFile(filepath.Join(dirs[0], "events.jsonl"))
	if err != nil || !strings.Contains(string(events), `"event":"node_state"`) {
		t.Errorf("%v: events do not say what workers did", err)
	}
}

// Faults of what is to be shown come all at once.
func TestLiveOfNoRun(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "live", "nowhere", ".")
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	for _, want := range []string{"nowhere: not a run directory", ".: not a run directory", "nor a batch folder"} {
		if !strings.Contains(c.stderr.String(), want) {
			t.Errorf("%q is not in %s", want, c.stderr.String())
		}
	}
}

// A program that was built without OTLP says how it is built with it, before
// anything is started.
func TestOTLPIsNotInThisBuild(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--otlp", "http://127.0.0.1:4318")
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	if said := c.stderr.String(); !strings.Contains(said, "--otlp: this loadgen was built without OTLP: go build -tags otlp") {
		t.Error(said)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "runs")); err == nil {
		t.Error("a run directory was begun")
	}
}
