package monitor

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ownFacts come from system calls, or from gopsutil's cache of the first host
// it was asked about, and not from the captured files.
var ownFacts = cmpopts.IgnoreFields(Host{}, "CPUsUsable", "NofileSoft", "NofileHard", "Virtualisation", "Counters", "TimeSync")

func TestHostQuiet(t *testing.T) {
	t.Parallel()
	f, err := NewFS("testdata/quiet/proc")
	if err != nil {
		t.Fatal(err)
	}
	got := f.Host(context.Background())
	known := func(n int64) Null[int64] { return Null[int64]{V: n, Valid: true} }
	want := Host{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: "6.18.44", Platform: "debian 12.11", BootSeconds: known(1796021208),
		CPUModel: "AMD EPYC", CPUsOnline: 2, Governor: "performance", Boost: "off", SMT: "off", Clocksource: "tsc",
		Load1:       Null[float64]{V: 0.12, Valid: true},
		MemoryBytes: known(24683620 << 10), MemoryAvailableBytes: got.MemoryAvailableBytes, SwapBytes: known(0),
		THP: "madvise", KSM: "0", LocalPortFirst: known(32768), LocalPortLast: known(60999),
		NUMABalancing: "0", Somaxconn: known(4096), SynBacklog: known(2048), TimeWaitReuse: "2", CgroupVersion: 2,
	}
	if diff := cmp.Diff(want, got, ownFacts); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"tcp_listen_overflows", "tcp_retransmits", "cgroup_throttled_ns", "host_steal_ns"} {
		if n, ok := got.Counters[key]; !ok || n != 0 {
			t.Errorf("counter %s is %d, %t, want a known 0", key, n, ok)
		}
	}
}

// TestHostLoud has everything set against a benchmark, an arm64 processor, v1
// control groups, files that are not there and one that is damaged.
func TestHostLoud(t *testing.T) {
	t.Parallel()
	f, err := NewFS("testdata/loud/proc")
	if err != nil {
		t.Fatal(err)
	}
	got := f.Host(context.Background())
	if got.CPUModel != "arm implementer 0x41 part 0xd0c" || got.CPUsOnline != 5 || got.Boost != "on" {
		t.Errorf("processor %q, %d online, boost %s", got.CPUModel, got.CPUsOnline, got.Boost)
	}
	if got.CgroupVersion != 1 || got.CPULimit.V != 1.5 || got.SynBacklog.Valid {
		t.Errorf("group v%d of %v cores, SYN backlog %v", got.CgroupVersion, got.CPULimit, got.SynBacklog)
	}
	want := Counters{"cgroup_periods": 10, "cgroup_throttled_periods": 4, "cgroup_throttled_ns": 250e6, "host_steal_ns": 0}
	if diff := cmp.Diff(want, got.Counters); diff != "" {
		t.Errorf("absent counters must have no key: %s", diff)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], `tcp_max_syn_backlog: "many": want a number`) {
		t.Errorf("the damaged file: %q", got.Warnings)
	}
	got.CPUsUsable, got.Hypervisor = 4, true
	if got.CoresUsable() != 1.5 || !got.VirtualMachine() {
		t.Errorf("%v cores usable, virtual machine %t", got.CoresUsable(), got.VirtualMachine())
	}
}

// TestHostNothing has no file at all: no fact, no error, no warning about it.
func TestHostNothing(t *testing.T) {
	t.Parallel()
	f, err := NewFS(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := f.Host(context.Background())
	if len(got.Warnings) != 0 {
		t.Errorf("warnings %q", got.Warnings)
	}
	if got.CPUModel != "" || got.MemoryBytes.Valid || got.CgroupVersion != 0 || len(got.Counters) != 0 {
		t.Errorf("facts from nothing: %+v", got)
	}
}

func TestHostHere(t *testing.T) {
	t.Parallel()
	got := liveFS(t).Host(context.Background())
	if got.Kernel == "" || !got.MemoryBytes.Valid || !got.BootSeconds.Valid || got.CPUsUsable < 1 || got.CPUsUsable > got.CPUsOnline || !got.NofileSoft.Valid {
		t.Errorf("%+v", got)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	for key, value := range back {
		if value == nil || value == "" {
			t.Errorf("%s is %v: an absent fact has no key", key, value)
		}
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	before := Counters{"tcp_listen_overflows": 5, "tcp_timeouts": 9, "host_steal_ns": 0, "only_before": 1}
	after := Counters{"tcp_listen_overflows": 8, "tcp_timeouts": 2, "host_steal_ns": int64(time.Second), "only_after": 1}
	diff := after.Since(before)
	if d := cmp.Diff(Counters{"tcp_listen_overflows": 3, "host_steal_ns": int64(time.Second)}, diff); d != "" {
		t.Error(d)
	}
	warnings := strings.Join(diff.Warnings(time.Minute), "\n")
	for _, text := range []string{"overflowed 3 times", "withheld 1s of CPU time in 1m0s"} {
		if !strings.Contains(warnings, text) {
			t.Errorf("no warning with %q in %q", text, warnings)
		}
	}
	if w := (Counters{"host_steal_ns": int64(time.Second)}).Warnings(time.Hour); len(w) != 0 {
		t.Errorf("1 s of steal in an hour: %q", w)
	}
}

// TestCountersHere reads our own counters and those of a child, which shares them.
func TestCountersHere(t *testing.T) {
	t.Parallel()
	f := liveFS(t)
	n := startNode(t)
	own, err := f.Counters(0)
	if err != nil {
		t.Fatal(err)
	}
	of, err := f.Counters(n.pid)
	if err != nil {
		t.Fatal(err)
	}
	diff := of.Since(own)
	for key := range own {
		if _, ok := diff[key]; !ok {
			t.Errorf("%s fell or is gone between two readings of one namespace", key)
		}
	}
}
