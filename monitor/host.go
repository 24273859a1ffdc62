package monitor

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v3/common"
	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"
	"golang.org/x/sys/unix"
)

// Host is what a measurement depends on, for the manifest. A fact that this
// host does not tell is left out. Package doctor judges them.
type Host struct {
	Hostname string `json:"hostname,omitempty"` // filled by the caller: run directories are passed on, and names identify

	OS             string      `json:"os"`
	Arch           string      `json:"arch"`
	Kernel         string      `json:"kernel,omitempty"`
	Platform       string      `json:"platform,omitempty"`       // distribution and version
	Virtualisation string      `json:"virtualisation,omitempty"` // machine or container, by gopsutil: "kvm guest", "docker guest"
	Hypervisor     bool        `json:"under_hypervisor"`         // by the processor's flag, x86 only
	BootSeconds    Null[int64] `json:"boot_unix_seconds,omitzero"`

	CPUModel    string        `json:"cpu_model,omitempty"`
	CPUsOnline  int           `json:"cpus_online"`
	CPUsUsable  int           `json:"cpus_usable"`              // by our affinity mask
	CPULimit    Null[float64] `json:"cpu_limit_cores,omitzero"` // tightest quota of our control groups
	Governor    string        `json:"cpu_governor,omitempty"`
	Boost       string        `json:"cpu_boost,omitempty"` // on, off
	SMT         string        `json:"cpu_smt,omitempty"`   // on, off
	Clocksource string        `json:"clocksource,omitempty"`
	Load1       Null[float64] `json:"load_1min,omitzero"`

	MemoryBytes          Null[int64] `json:"memory_bytes,omitzero"`
	MemoryAvailableBytes Null[int64] `json:"memory_available_bytes,omitzero"`
	SwapBytes            Null[int64] `json:"swap_bytes,omitzero"`
	THP                  string      `json:"transparent_hugepages,omitempty"` // always, madvise, never
	KSM                  string      `json:"ksm_run,omitempty"`               // 0 off, 1 on, 2 off and pages unmerged
	NUMABalancing        string      `json:"numa_balancing,omitempty"`        // 0 off; on machines of one node it always is

	TimeSync  string      `json:"time_sync,omitempty"`  // by the kernel: synchronised, not synchronised
	AptTimers string      `json:"apt_timers,omitempty"` // timers of the package manager that systemd starts at boot, and that are not masked
	PIDMax    Null[int64] `json:"pid_max,omitzero"`

	NofileSoft     Null[int64] `json:"nofile_soft,omitzero"`
	NofileHard     Null[int64] `json:"nofile_hard,omitzero"`
	LocalPortFirst Null[int64] `json:"ip_local_port_first,omitzero"`
	LocalPortLast  Null[int64] `json:"ip_local_port_last,omitzero"`
	Somaxconn      Null[int64] `json:"somaxconn,omitzero"`
	SynBacklog     Null[int64] `json:"tcp_max_syn_backlog,omitzero"`
	TimeWaitReuse  string      `json:"tcp_tw_reuse,omitempty"` // 0 off, 1 on, 2 for loopback

	CgroupVersion int      `json:"cgroup_version,omitempty"`
	Counters      Counters `json:"counters,omitempty"` // at the time of asking

	Warnings []string `json:"warnings,omitempty"` // files that said something unexpected, with their text
}

// Host collects the facts. It does not fail: a file that says something
// unexpected becomes a warning with its path and text.
func (f FS) Host(ctx context.Context) Host {
	h := Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUsOnline: runtime.NumCPU(), CPUsUsable: runtime.NumCPU()}
	f.processor(&h)
	f.memory(ctx, &h)
	f.network(&h)
	f.system(ctx, &h)
	limits(&h)
	f.groups(&h)
	return h
}

func (h *Host) note(err error) {
	if err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
}

// system asks gopsutil for what is spread over many files and cases.
func (f FS) system(ctx context.Context, h *Host) {
	ctx = f.gopsutil(ctx)
	h.Kernel, _ = fact(f.inProc("sys/kernel/osrelease"))
	if platform, _, version, err := host.PlatformInformationWithContext(ctx); err == nil {
		h.Platform = strings.TrimSpace(platform + " " + version)
	}
	if system, role, err := host.VirtualizationWithContext(ctx); err == nil && role == "guest" {
		h.Virtualisation = strings.TrimSpace(system + " guest")
	}
	// gopsutil's boot time is the wall clock minus the uptime and moves with
	// the clock; the kernel's own is in stat.
	h.AptTimers = f.aptTimers()
	text, _ := fact(f.inProc("stat"))
	if _, after, ok := strings.Cut(text, "\nbtime "); ok {
		h.BootSeconds = f.count(h, f.inProc("stat"), firstField(after))
	}
}

// aptTimers goes by links: who asks systemd itself has to speak with it. Masked
// until the next boot means a link in /run. Without systemd nothing runs timers.
func (f FS) aptTimers() string {
	if _, err := os.Stat(filepath.Join(f.run, "systemd/system")); err != nil {
		return ""
	}
	var on []string
	for _, timer := range []string{"apt-daily.timer", "apt-daily-upgrade.timer"} {
		_, err := os.Lstat(filepath.Join(f.etc, "systemd/system/timers.target.wants", timer))
		masked, _ := os.Readlink(filepath.Join(f.run, "systemd/system", timer))
		if err == nil && masked != os.DevNull {
			on = append(on, timer)
		}
	}
	return strings.Join(on, ",")
}

// memory asks gopsutil, which gives 0 for a file that is not there.
func (f FS) memory(ctx context.Context, h *Host) {
	v, err := mem.VirtualMemoryWithContext(f.gopsutil(ctx))
	h.note(err)
	if err == nil && v.Total > 0 {
		h.MemoryBytes = known(v.Total)
		h.MemoryAvailableBytes = known(v.Available)
		h.SwapBytes = known(v.SwapTotal)
	}
	text, _ := fact(f.inSys("kernel/mm/transparent_hugepage/enabled"))
	h.THP = selected(text)
	h.KSM, _ = fact(f.inSys("kernel/mm/ksm/run"))
	h.NUMABalancing, _ = fact(f.inProc("sys/kernel/numa_balancing"))
}

func (f FS) network(h *Host) {
	path := f.inProc("sys/net/ipv4/ip_local_port_range")
	if text, there := fact(path); there {
		first, last, _ := strings.Cut(text, "\t")
		h.LocalPortFirst, h.LocalPortLast = f.count(h, path, first), f.count(h, path, last)
	}
	h.Somaxconn = f.countFile(h, "sys/net/core/somaxconn")
	h.SynBacklog = f.countFile(h, "sys/net/ipv4/tcp_max_syn_backlog")
	h.TimeWaitReuse, _ = fact(f.inProc("sys/net/ipv4/tcp_tw_reuse"))
	h.PIDMax = f.countFile(h, "sys/kernel/pid_max")
}

func (f FS) groups(h *Host) {
	groups, err := f.cgroups(0)
	h.note(err)
	h.CgroupVersion = groups.version
	h.CPULimit, err = groups.limit()
	h.note(err)
	h.Counters, err = f.Counters(0)
	h.note(err)
}

// limits are our own process's, and with the clock's state come from system calls.
func limits(h *Host) {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		h.NofileSoft, h.NofileHard = known(files.Cur), known(files.Max)
	}
	var clock unix.Timex // asked with no mode set: nothing is changed
	if state, err := unix.Adjtimex(&clock); err == nil {
		h.TimeSync = "synchronised"
		if state == unix.TIME_ERROR || clock.Status&unix.STA_UNSYNC != 0 {
			h.TimeSync = "not synchronised"
		}
	}
}

// CoresUsable is how much CPU our process may use: its affinity mask, or the
// tightest limit of its control groups.
func (h Host) CoresUsable() float64 {
	cores := float64(h.CPUsUsable)
	if h.CPULimit.Valid {
		cores = min(cores, h.CPULimit.V)
	}
	return cores
}

// VirtualMachine leaves out the containers that gopsutil names as guests too.
func (h Host) VirtualMachine() bool {
	switch system, _, _ := strings.Cut(h.Virtualisation, " "); system {
	case "kvm", "xen", "hyperv", "vbox", "vmware":
		return true
	}
	return h.Hypervisor
}

// gopsutil has the roots of its files in the context.
func (f FS) gopsutil(ctx context.Context) context.Context {
	return context.WithValue(ctx, common.EnvKey, common.EnvMap{
		common.HostProcEnvKey: f.proc, common.HostSysEnvKey: f.sys, common.HostEtcEnvKey: f.etc,
		common.HostRootEnvKey: filepath.Dir(f.etc), // a container's mark is there
	})
}

func (f FS) countFile(h *Host, name string) Null[int64] {
	path := f.inProc(name)
	text, there := fact(path)
	if !there {
		return Null[int64]{}
	}
	return f.count(h, path, text)
}

func (f FS) count(h *Host, path, text string) Null[int64] {
	n, ok := number([]byte(text))
	if !ok {
		h.note(malformed(path, []byte(text), "a number"))
	}
	return Null[int64]{V: n, Valid: ok}
}

// known is a value of the kernel's. An unlimited one is the largest there is.
func known(n uint64) Null[int64] {
	return Null[int64]{V: int64(min(n, math.MaxInt64)), Valid: true}
}

// selected is the choice in brackets of a sysfs file like "always [madvise] never".
func selected(text string) string {
	_, after, found := strings.Cut(text, "[")
	choice, _, closed := strings.Cut(after, "]")
	if !found || !closed {
		return text
	}
	return choice
}

func firstField(text string) string {
	field, _ := nextField([]byte(text))
	return string(field)
}
