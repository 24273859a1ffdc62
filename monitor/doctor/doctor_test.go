package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"edgebench/monitor"
)

func host(t *testing.T, name string) monitor.Host {
	t.Helper()
	fs, err := monitor.NewFS("../testdata/" + name + "/proc")
	if err != nil {
		t.Fatal(err)
	}
	h := fs.Host(context.Background())
	// These come from system calls, not from the captured files.
	h.Virtualisation, h.Hypervisor, h.CPUsUsable, h.TimeSync = "", false, h.CPUsOnline, "synchronised"
	h.NofileSoft, h.NofileHard = known(1024), known(1<<20)
	return h
}

func known(n int64) monitor.Null[int64] { return monitor.Null[int64]{V: n, Valid: true} }

func TestQuietHost(t *testing.T) {
	t.Parallel()
	results := Examine(&Facts{
		Host: host(t, "quiet"), Disk: known(1 << 40),
		Need: Need{Connections: 1000, Asked: true, Connects: 100, Bytes: 1 << 30, Bundled: true},
	})
	// Its control group has a limit of half a core, and that is all.
	for _, r := range AtLeast(results, Note) {
		if r.Name != "cpu-limit" {
			t.Errorf("%+v", r)
		}
	}
	if len(results) != len(Checks()) {
		t.Errorf("%d results of %d checks", len(results), len(Checks()))
	}
}

// The loud host has everything set against a measurement; a check that has
// nothing to say of it would never say anything.
func TestLoudHost(t *testing.T) {
	t.Parallel()
	h := host(t, "loud")
	h.Hypervisor, h.CPUsUsable, h.TimeSync, h.SMT = true, 1, "not synchronised", "on"
	h.NofileHard = known(512)
	results := Examine(&Facts{
		Host: h, Disk: known(5e6), Need: Need{Connections: 2000, Asked: true, Connects: 500, Bytes: 1e9, Bundled: true},
		Busy: []monitor.Busy{{PID: 7, Name: "make", Share: 0.98}, {PID: 9, Name: "cc", Share: 0.4}},
	})
	want := map[string]string{
		"open-files": "fail 512 allowed, about 2256 needed", "local-ports": "warn 1000, 2000 connections needed",
		"time-wait": "500 new connections/s hold 30000 ports", "accept-backlog": "warn somaxconn 128",
		"cpus": "warn 1 usable of 5", "cpu-limit": "warn 1.50 cores", "governor": "warn performance,powersave", "boost": "note on", "smt": "note on",
		"clocksource": "warn acpi_pm", "virtual-machine": "note yes", "load": "warn 3.50 on 5 CPUs, now: make (7) 98 %, cc (9) 40 %",
		"huge-pages": "warn always", "ksm": "warn on", "numa-balancing": "warn on", "swap": "warn", "memory": "warn",
		"time-sync": "note not synchronised", "pid-max": "note 32768", "apt-timers": "note apt-daily.timer",
		"disk": "fail 5 MB free, about 1000 MB needed",
	}
	for _, r := range results {
		got := fmt.Sprintf("%s %s", r.Level, r.Found)
		if !strings.Contains(got, want[r.Name]) || want[r.Name] == "" || r.Level == OK {
			t.Errorf("%s: %q, want %q", r.Name, got, want[r.Name])
		}
		if weight(r.Level) >= weight(Warn) && r.Fix == "" {
			t.Errorf("%s: a warning without a way out", r.Name)
		}
	}
	if Worst(results) != Fail || len(AtLeast(results, Fail)) != 2 {
		t.Errorf("worst %s, %d fail", Worst(results), len(AtLeast(results, Fail)))
	}
}

func TestEstimatesDoNotFail(t *testing.T) {
	t.Parallel()
	h := host(t, "quiet")
	h.NofileHard = known(512)
	for _, r := range Examine(&Facts{Host: h, Need: Need{Connections: 2000}}) {
		if r.Name == "open-files" && r.Level != Warn {
			t.Errorf("%+v: the number needed is a guess", r)
		}
	}
}

// A host that tells nothing has nothing against it.
func TestNothingKnown(t *testing.T) {
	t.Parallel()
	results := Examine(&Facts{Host: monitor.Host{CPUsOnline: 2, CPUsUsable: 2}})
	if Worst(results) != OK {
		t.Errorf("%+v", AtLeast(results, Note))
	}
}

// Every entry of the registry says what it is about, once.
func TestChecksAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Checks() {
		if c.Name == "" || c.Why == "" || strings.ToLower(c.Name) != c.Name || seen[c.Name] {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
}
