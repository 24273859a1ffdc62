package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/batch"
)

// apart is a batch of trials that two generators and a target make together.
const apart = `profiles: [p.yaml]
trials: 2
cooldown: 100ms
retries: 2
max_invalid: 1
generators: 2
`

const grouped = `name: grouped
target: {bundled: {policy: {static: {}}, workers: 4, service: 5ms, tick: 200ms, heap: 1MB, max_workers: 8}}
request: {method: POST, path: /invoke, timeout: 5s}
phases:
  - {name: warmup, rate: 21/s, for: 1s}
  - {name: spike, rate: 100/s, for: 500ms, measure: cold}
cold: {threshold: 50ms}
drain_timeout: 2s
`

// Four hosts: a coordinator, two generators, a target. One generator is killed
// while it plays: the trial fails and is made again, whole, by its next life.
func TestGroupOverNamespaces(t *testing.T) {
	t.Parallel()
	net, dir := newNetwork(t, 4), t.TempDir()
	for name, text := range map[string]string{"night.yaml": apart, "p.yaml": grouped, "token": "secret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	coordinator := net.on(t, 0, inFolder(t, dir, "coordinator", "night.yaml", "--out", "n", "--token-file", "token",
		"--listen", net.address(0)+":4222", "--lease", "3s", "--beat", "100ms"))
	start := func(host int, name, role string, more ...string) *command {
		w := net.on(t, host, inFolder(t, dir, append([]string{"worker", "--join", "nats://" + net.address(0) + ":4222", "--token-file", "token",
			"--name", name, "--role", role, "--dir", filepath.Join(dir, name)}, more...)...))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if err := coordinator.Start(); err != nil {
		t.Fatal(err)
	}
	workers := []*command{start(3, "target", "target", "--address", net.address(3)), start(1, "gen1", "generator")}
	victim := start(2, "gen2", "generator")
	eventually(t, "the second generator plays", func() bool {
		series, _ := filepath.Glob(filepath.Join(dir, "gen2", "attempts", "*", "runs", ".partial-*", rundir.TimeseriesFile))
		for _, path := range series {
			if data, err := os.ReadFile(path); err == nil && strings.Count(string(data), "\n") > 1 {
				return true
			}
		}
		return coordinator.ended()
	})
	if err := victim.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // its status is the signal
	workers = append(workers, start(2, "gen2", "generator"))
	coordinator.wantCode(t, coordinator.code(t, coordinator.Wait()), exitOK)
	for _, w := range workers {
		w.wantCode(t, w.code(t, w.Wait()), exitOK)
	}
	results := committed(t, dir)
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	failed := ""
	for _, r := range results {
		failed += strings.Join(r.Errors, "\n")
		checkGroup(t, filepath.Join(dir, "n", "results", r.Trial.ID, batch.RunDir))
	}
	if !strings.Contains(failed, "gen2") {
		t.Errorf("no trial failed by the killed generator: %q\n%s", failed, coordinator.stderr.String())
	}
}

// checkGroup holds a trial against its parts, and against what the node counted.
func checkGroup(t *testing.T, dir string) {
	t.Helper()
	const planned = 21 + 50
	s, err := analysis.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	reconcile(t, s)
	m, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sent uint64
	for _, p := range m.Parts {
		sent += p.Sent
		if p.Start == nil || p.Start.ClockOffsetNS == nil || p.Start.ClockUncertaintyNS == nil || *p.Start.ClockUncertaintyNS <= 0 {
			t.Errorf("the start of %s: %+v", p.Name, p.Start)
		}
	}
	var node struct {
		Requests struct {
			Arrivals uint64 `json:"arrivals"`
		} `json:"requests"`
	}
	if err := json.Unmarshal(m.Node, &node); err != nil {
		t.Fatal(err)
	}
	if len(m.Parts) != 3 || s.Counts.Planned != planned || s.Counts.Sent != planned || sent != planned || node.Requests.Arrivals != planned {
		t.Errorf("%d parts, planned %d, sent %d, %d by its parts, %d seen by the node: want 3 and %d of each", len(m.Parts),
			s.Counts.Planned, s.Counts.Sent, sent, node.Requests.Arrivals, planned)
	}
	seen := map[uint64]bool{}
	if _, err := rundir.ReadSamples(dir, func(row *rundir.Sample) error { seen[row.Index] = true; return nil }); err != nil || len(seen) != planned {
		t.Errorf("rows of %d requests, %v", len(seen), err)
	}
	skew, known := rundir.Skew(m.Parts)
	if t.Logf("start at most %v apart", skew); !known || skew <= 0 {
		t.Errorf("the skew of the start is not known")
	}
}
