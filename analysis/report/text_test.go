package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

var update = flag.Bool("update", false, "rewrite golden files")

// fixture is a synthetic run that the tests of package analysis keep.
var fixture = filepath.Join("..", "testdata", "bursty-ramp")

func summary(t *testing.T, dir string) *analysis.Summary {
	t.Helper()
	s, err := analysis.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
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
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestTextOfAFullRun(t *testing.T) {
	t.Parallel()
	s := summary(t, fixture)
	plain := Text(s, TextOptions{Report: "runs/x/report.html"})
	golden(t, "full.txt", plain)
	if strings.Contains(plain, "\x1b") {
		t.Error("escape codes without colour")
	}
	coloured := Text(s, TextOptions{Colour: true, Report: "runs/x/report.html"})
	if !strings.Contains(coloured, "\x1b[32mverdict  valid\x1b[0m") {
		t.Errorf("no green verdict in\n%s", coloured)
	}
}

// troubled is a run in which much went wrong, against somebody else's target.
func troubled() *analysis.Summary {
	ns := func(v int64) *int64 { return &v }
	return &analysis.Summary{
		Verdict: analysis.Invalid, Reasons: []string{"the generator was the limit: lag p99 is 12ms, above 10ms"},
		Warnings: []string{"swap is on"},
		Run:      analysis.RunFacts{Producer: rundir.ProducerLoadgen, Profile: "url", Mode: "url", Seed: 7, Cycles: 1, ElapsedNS: 9_500_000_000},
		Account: analysis.Account{
			Counts:          analysis.Counts{Planned: 1_234_567, Scheduled: 1_000_000, Sent: 999_990, Dropped: 10, OK: 999_000, Errors: 980, OpenAtEnd: 10},
			ErrorsByClass:   map[string]uint64{"timeout": 30, "refused": 950},
			DroppedByReason: map[string]uint64{"max_in_flight": 10},
			Rate:            analysis.Rate{OfferedRPS: new(1e5), SentRPS: new(99_999.0), OKRPS: new(99_900.0), ErrorRPS: new(98.0)},
			LateShare:       new(0.02),
			ConnectWait:     analysis.Distribution{N: 21, P50NS: ns(950_000), P99NS: ns(3_000_000_000), MaxNS: ns(3_001_000_000)},
			Lag:             analysis.Distribution{N: 999_990, P50NS: ns(950), P99NS: ns(12_000_000), MaxNS: ns(999_700)},
		},
		Phases: []analysis.Phase{
			{Name: "rate", Cycle: 1, Account: analysis.Account{
				Counts:   analysis.Counts{Planned: 1_234_567, Scheduled: 1_000_000, Sent: 999_990, Dropped: 10, OK: 999_000, Errors: 980, OpenAtEnd: 10},
				Response: analysis.Distribution{N: 1, P50NS: ns(1_234_567), P99NS: ns(61_000_000_000), MaxNS: ns(612_000_000_000)},
			}},
			{Name: "größer", Cycle: 1, Account: analysis.Account{Counts: analysis.Counts{Planned: 1}}},
		},
		Functions: someFunctions(12),
		Generator: analysis.Generator{
			CPUUserSeconds: new(3.2), CPUSystemSeconds: new(7.9), CoresUsable: new(2.0), CPUShare: new(0.584),
			GCPauses: new(uint64(4)), GCPauseMaxNS: ns(81_000), OpenFilesMax: ns(167), OpenFilesLimit: ns(20_000),
			ThrottledPeriods: ns(3), ThrottledNS: ns(120_000_000), HostStealNS: ns(20_000_000), ListenOverflows: ns(12), Retransmits: ns(40),
		},
		Thresholds: []analysis.ThresholdResult{{Expression: "error_rate < 1%", Met: true, Value: "0.10%"}, {Expression: "response.p99 < 1s", Value: "61s"}},
	}
}

// someFunctions have k hundred requests each, k from 1, the last with errors and a
// long name.
func someFunctions(n int) []analysis.Function {
	out := make([]analysis.Function, n)
	for i := range out {
		k := uint64(100 * (i + 1))
		out[i] = analysis.Function{Name: fmt.Sprintf("fn-%02d", i+1), Account: analysis.Account{
			Counts:   analysis.Counts{Planned: k, Scheduled: k, Sent: k, OK: k},
			Response: analysis.Distribution{N: k, P50NS: new(int64(1e6)), P99NS: new(int64(2e6)), MaxNS: new(int64(3e6))},
		}}
	}
	last := &out[n-1]
	last.Name = strings.Repeat("owner-", 10) + "resize"
	last.Counts.OK, last.Counts.Errors = last.Counts.OK-7, 7
	return out
}

func TestTextOfATroubledRun(t *testing.T) {
	t.Parallel()
	golden(t, "troubled.txt", Text(troubled(), TextOptions{}))
}

func TestTextOfNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []bool{false, true} {
		if text := Text(&analysis.Summary{}, TextOptions{Colour: c}); strings.Contains(text, "NaN") || !strings.Contains(text, "0 scheduled = 0 sent + 0 dropped") {
			t.Errorf("%q", text)
		}
	}
}

func TestTextBoundsItsRows(t *testing.T) {
	t.Parallel()
	s := &analysis.Summary{Phases: make([]analysis.Phase, 10_000)}
	for i := range s.Phases {
		s.Phases[i].Counts.Scheduled = 1
	}
	text := Text(s, TextOptions{})
	if lines := strings.Count(text, "\n"); lines > 80 || !strings.Contains(text, "… and 9,940 phases") {
		t.Errorf("%d lines:\n%s", lines, text)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for ns, want := range map[int64]string{
		0: "0 ns", 950: "950 ns", 999: "999 ns", 1000: "1 µs", 9_100: "9.10 µs", 110_000: "110 µs", 999_700: "1.00 ms",
		2_610_000: "2.61 ms", 80_900_000: "80.9 ms", 501_900_000: "502 ms", 1_234_000_000: "1.23 s", 3_600_000_000_000: "3600 s",
	} {
		if got := duration(&ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 14_680_064: "14.7 MB", 2_021_000_000: "2.02 GB"} {
		if got := size(&n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 2794: "2,794", 1_000_000: "1,000,000"} {
		if got := count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for ns, want := range map[int64]string{0: "0s", 9_500_000_000: "9.50s", 59_600_000_000: "1m00s", 309e9: "5m09s", 5000e9: "1h23m20s"} {
		if got := clock(ns); got != want {
			t.Errorf("%d: %q, want %q", ns, got, want)
		}
	}
	if duration(nil) != none || size(nil) != none || number(nil) != none || percent(nil) != none || whole(nil) != none || seconds(nil) != none {
		t.Error("a missing value is not shown as missing")
	}
}
