package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/loadgen/peers/tool"
	"edgebench/monitor"
)

var update = flag.Bool("update", false, "write the golden files")

// invented are results of four generators: one is better than ours here and
// there, one fails, one is behind, one could not be had.
func invented() *results {
	figures := func(rate float64, p99 time.Duration) *tool.Figures {
		p50 := p99 / 4
		return &tool.Figures{OK: uint64(rate), Elapsed: time.Second, P50: &p50, P90: &p50, P99: &p99}
	}
	r := &results{
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Took: 11 * time.Minute, Rounds: 3, plan: fullPlan(),
		Machine:  monitor.Host{CPUsOnline: 2, CPUModel: "Example", Kernel: "6.1", Arch: "amd64", Hypervisor: true},
		Versions: map[string]string{"loadgen": "v1", "nginx": "nginx/1.22.1"}, Missing: map[string]string{"vegeta": "go: no network"},
	}
	for _, t := range tool.All() {
		switch t.Name {
		case tool.Ours, "fortio", "bombardier", "vegeta", "k6":
			r.tools = append(r.tools, t)
		}
	}
	add := func(rec Record) { r.Records = append(r.Records, rec) }
	for round, held := range []float64{120_000, 100_000, 110_000} {
		add(Record{Part: "ceiling", Tool: tool.Ours, Round: round + 1, Values: map[string]float64{keyCeiling: held}})
	}
	add(Record{Part: "ceiling", Tool: "fortio", Round: 1, Values: map[string]float64{keyCeiling: 130_000, keyOpen: 1}})
	add(Record{Part: "ceiling", Tool: "k6", Round: 1, Values: map[string]float64{keyCeiling: 4_000}})
	for rate, name := range map[int]string{slowRate: tool.Ours, middleRate: tool.Ours} {
		add(Record{Part: "latency", Tool: name, Round: 1, Rate: rate, CPU: 250 * time.Millisecond, PeakBytes: 20 << 20, Figures: figures(float64(rate), 400*time.Microsecond)})
	}
	add(Record{Part: "latency", Tool: "fortio", Round: 1, Rate: middleRate, CPU: 100 * time.Millisecond, PeakBytes: 30 << 20, Figures: figures(middleRate, 2*time.Millisecond)})
	add(Record{Part: "latency", Tool: "k6", Round: 1, Rate: middleRate, CPU: time.Second, PeakBytes: 90 << 20, Figures: figures(middleRate/2, 90*time.Millisecond)})
	add(Record{Part: "latency", Tool: "bombardier", Round: 1, Rate: middleRate, Error: "bombardier: exit status 1: no luck"})
	pace := func(p50, p99 float64) map[string]float64 {
		return map[string]float64{keyGap50: p50, keyGap99: p99, keyGrid50: p50 / 2, keyGrid99: p99 / 2}
	}
	add(Record{Part: "pacing", Tool: tool.Ours, Round: 1, Rate: slowRate, Values: pace(6e3, 140e3), Figures: figures(slowRate, time.Millisecond)})
	add(Record{Part: "pacing", Tool: "fortio", Round: 1, Rate: slowRate, Values: pace(490e3, 757e3), Figures: figures(slowRate, time.Millisecond)})
	add(Record{Part: "stalled", Tool: tool.Ours, Round: 1, Rate: stallRate, Figures: figures(12_000, 941*time.Millisecond)})
	add(Record{Part: "laws", Tool: tool.Ours, Round: 1, Rate: scvRate, Law: "h2", Values: map[string]float64{keyKS: 0.01, keySCV: 2.1, keyArrivals: 100_000}, Figures: figures(scvRate, time.Millisecond)})
	add(Record{Part: "tls", Tool: tool.Ours, Round: 1, Values: map[string]float64{"capacity ratio": 1.5, "capacity ok/s": 30_000, "capacity fasthttp/s": 20_000,
		"open-0.8 ok/s": 15_990, "open-0.8 held": 0.999, "open-0.8 lag-p50-µs": 40, "open-0.8 lag-p99-µs": 900, "open-0.8 p99-µs": 1_800}})
	return r
}

func TestText(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "text.golden")
	got := invented().text()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBenchmarkValues(t *testing.T) {
	t.Parallel()
	got, err := benchmarkValues("goos: linux\nBenchmarkTLS/capacity-2 \t 3\t 0 ns/op\t 33548 ok/s\t 2.48 ratio\nBenchmarkTLS/open-0.8 \t 3\t 0.99 held\nPASS\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"capacity ns/op": 0, "capacity ok/s": 33548, "capacity ratio": 2.48, "open-0.8 held": 0.99}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, bad := range []string{"PASS\n", "BenchmarkTLS/x 1 many ns/op\n"} {
		if v, err := benchmarkValues(bad); err == nil {
			t.Errorf("%q is read as %v", bad, v)
		}
	}
}
