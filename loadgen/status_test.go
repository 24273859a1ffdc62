package main

import (
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/experiment"
	"edgebench/loadgen/record"
)

func TestStatusLine(t *testing.T) {
	t.Parallel()
	s := experiment.Status{
		Phase: "ramp", Cycle: 2, Cycles: 4, Left: 192 * time.Second, Workers: 12, WorkersKnown: true,
		Progress: record.Progress{Cold: 14, InFlight: 9, ResponseP50: 502 * time.Millisecond, ResponseP99: 1234 * time.Millisecond},
	}
	s.Last.Scheduled, s.Last.OK = 17, 16
	s.Sampled.PSS.V, s.Sampled.PSS.Valid = 214_300_000, true
	want := "2/4 ramp  3m12s left  16 of 17/s  p50 502 ms p99 1.23 s  cold 14  in flight 9  workers 12  PSS 214 MB"
	if got := statusLine(s); got != want {
		t.Errorf("\n%q, want\n%q", got, want)
	}
	empty := statusLine(experiment.Status{})
	if strings.Contains(empty, "PSS") || strings.Contains(empty, "workers") || !strings.Contains(empty, "p50 –") {
		t.Errorf("nothing known yet: %q", empty)
	}
}
