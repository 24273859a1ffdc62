package analysis

import (
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// Generator is what sending cost the generator's own process, and what the
// kernel did to it, while the schedule was played and drained. Null: not
// measured. The network counters are those of its network namespace, so a
// target in the same one is in them.
type Generator struct {
	CPUUserSeconds   *float64 `json:"cpu_user_seconds"`
	CPUSystemSeconds *float64 `json:"cpu_system_seconds"`
	CoresUsable      *float64 `json:"cores_usable"` // by affinity mask and control groups
	CPUShare         *float64 `json:"cpu_share"`    // 0..1 of the cores it may use

	GCPauses       *uint64 `json:"gc_pauses"`
	GCPauseTotalNS *int64  `json:"gc_pause_total_ns"`
	GCPauseMaxNS   *int64  `json:"gc_pause_max_ns"`

	ThrottledPeriods *int64 `json:"throttled_periods"` // of the CPU limit of its control groups
	ThrottledNS      *int64 `json:"throttled_ns"`      // all CPUs together
	HostStealNS      *int64 `json:"host_steal_ns"`     // withheld by the hypervisor, of the whole host

	OpenFilesMax   *int64 `json:"open_files_max"` // of the samples
	OpenFilesLimit *int64 `json:"open_files_limit"`

	ListenOverflows *int64 `json:"listen_overflows"` // connections refused by a full accept queue
	ListenDrops     *int64 `json:"listen_drops"`
	SynRetransmits  *int64 `json:"syn_retransmits"` // connection requests sent again
	Retransmits     *int64 `json:"retransmits"`     // segments sent again
}

func generatorOf(m *rundir.Manifest, openFiles *int64) Generator {
	out := Generator{OpenFilesMax: openFiles}
	g := m.Generator
	if g == nil {
		return out
	}
	out.CPUUserSeconds, out.CPUSystemSeconds, out.CoresUsable = &g.CPUUserSeconds, &g.CPUSystemSeconds, &g.CoresUsable
	if wall := float64(m.ElapsedNS) / 1e9 * g.CoresUsable; wall > 0 {
		out.CPUShare = new((g.CPUUserSeconds + g.CPUSystemSeconds) / wall)
	}
	out.GCPauses, out.GCPauseTotalNS, out.GCPauseMaxNS = g.GCPauses, g.GCPauseTotalNS, g.GCPauseMaxNS
	out.OpenFilesLimit = g.OpenFilesLimit
	for key, into := range map[string]**int64{
		"cgroup_throttled_periods": &out.ThrottledPeriods, "cgroup_throttled_ns": &out.ThrottledNS, "host_steal_ns": &out.HostStealNS,
		"tcp_listen_overflows": &out.ListenOverflows, "tcp_listen_drops": &out.ListenDrops,
		"tcp_syn_retransmits": &out.SynRetransmits, "tcp_retransmits": &out.Retransmits,
	} {
		if n, ok := g.KernelCounters[key]; ok {
			*into = &n
		}
	}
	return out
}

// throttled says how the CPU limit stopped the generator, empty when it did not.
func (g *Generator) throttled() string {
	if g.ThrottledPeriods == nil || *g.ThrottledPeriods <= maxThrottled {
		return ""
	}
	text := fmt.Sprintf("the CPU limit of its control group stopped it in %d periods", *g.ThrottledPeriods)
	if g.ThrottledNS != nil {
		text += fmt.Sprintf(", %v in all", rounded(time.Duration(*g.ThrottledNS)))
	}
	return text
}
