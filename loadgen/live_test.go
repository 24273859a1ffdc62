package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/loadgen/batch"
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

// replayed looks at the finished batch "night" in dir: each of its trials is told
// again to its end, and an address leads nowhere else.
func replayed(t *testing.T, dir string) {
	t.Helper()
	trials, err := batch.NewFolder(filepath.Join(dir, "night")).Results().List()
	if err != nil || len(trials) != 2 {
		t.Fatalf("results %q, %v; want two", trials, err)
	}
	c := inFolder(t, dir, "live", "night")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	page := pageOn(t, c)
	stream := func(show string) (status int, text string) {
		resp, err := http.Get("http://" + page.Host + "/stream?show=" + url.QueryEscape(show))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	for _, trial := range trials {
		if status, text := stream("1/" + trial); status != http.StatusOK || !strings.Contains(text, `"profile":"tiny"`) || !strings.Contains(text, `"end":{"verdict":"`) {
			t.Errorf("trial %s: %d %s", trial, status, text)
		}
	}
	for _, elsewhere := range []string{"1/", "1/..", "1/../results/" + trials[0], "2/" + trials[0]} {
		if status, text := stream(elsewhere); status != http.StatusNotFound {
			t.Errorf("%q: %d %s", elsewhere, status, text)
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitOK)
}
