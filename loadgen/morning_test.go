package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// perTrial is how many requests a trial of paced sends.
const perTrial = 20

// paced is a short run against a server that is there already.
const paced = `name: paced
target: {url: "%s"}
request: {method: POST, path: /invoke, timeout: 5s}
phases:
  - {name: main, rate: 200/s, for: 100ms}
drain_timeout: 2s
`

// mornings makes the batch of a night and returns its report, with the exit code
// that both have to have.
func mornings(t *testing.T, code int, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := inFolder(t, dir, "batch", "run", "night.yaml")
	run.wantCode(t, run.code(t, run.Run()), code)
	report := inFolder(t, dir, "batch", "report", "night")
	report.wantCode(t, report.code(t, report.Run()), code)
	return report.stdout.String()
}

// A server that slows down by 20 % over a night is told by the report of its
// batch: its service times rise in the order the trials ran.
func TestADriftIsTold(t *testing.T) {
	t.Parallel()
	const trials, unhurried = 10, 60 * time.Millisecond
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return // a look beforehand
		}
		done := (asked.Add(1) - 1) / perTrial
		time.Sleep(unhurried + unhurried*time.Duration(done)/(5*(trials-1))) // what is measured
	}))
	defer server.Close()
	out := mornings(t, exitOK, map[string]string{
		"paced.yaml": fmt.Sprintf(paced, server.URL),
		"night.yaml": fmt.Sprintf("profiles: [paced.yaml]\ntrials: %d\ncooldown: 0s\nmax_invalid: 1\nretries: 0\n", trials),
	})
	if !strings.Contains(flat(out), "A drifts: p50 rises") {
		t.Errorf("no drift is told:\n%s", out)
	}
	if n := asked.Load(); n != trials*perTrial {
		t.Errorf("%d requests, want %d", n, trials*perTrial)
	}
}

// 12 of 20 trials fail, some of them one after the other: the batch goes on with
// the rest, its report says which came to nothing, and the exit code is that of a
// batch that may not be used.
func TestABatchThatMostlyFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	out := mornings(t, exitIncomplete, map[string]string{
		"paced.yaml": fmt.Sprintf(paced, server.URL),
		"night.yaml": `profiles: [paced.yaml]
variants:
  a: ["request.path=/a"]
  b: ["request.path=/b"]
  lost1: ["target.url=http://127.0.0.1:1/1"]
  lost2: ["target.url=http://127.0.0.1:1/2"]
  lost3: ["target.url=http://127.0.0.1:1/3"]
trials: 4
cooldown: 0s
max_invalid: 1
retries: 0
`})
	for _, want := range []string{"20 trials: 8 done", "12 failed", "verdict incomplete", "target unreachable: 127.0.0.1:1"} {
		if !strings.Contains(flat(out), want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
}

// flat is text without its line breaks.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
