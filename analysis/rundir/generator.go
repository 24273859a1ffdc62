package rundir

// A Generator is what sending cost the process that sent, for a run that has
// one: the twin has none. A null was not measured.
type Generator struct {
	CPUUserSeconds   float64 `json:"cpu_user_seconds"` // over the schedule and its drain, sampler included
	CPUSystemSeconds float64 `json:"cpu_system_seconds"`
	CoresUsable      float64 `json:"cores_usable"` // by affinity mask and control groups

	GCPauses       *uint64 `json:"gc_pauses"`
	GCPauseTotalNS *int64  `json:"gc_pause_total_ns"`
	GCPauseMaxNS   *int64  `json:"gc_pause_max_ns"`

	OpenFilesLimit *int64 `json:"open_files_limit"`

	// KernelCounters are how much the kernel's counters grew, by the keys of
	// package monitor: of our network namespace, our control groups and, as
	// host_steal_ns, the whole host.
	KernelCounters map[string]int64 `json:"kernel_counters"`
}
