package doctor

import (
	"fmt"
	"strings"

	"edgebench/monitor"
)

var processor = []Check{
	{"cpus", "on one CPU generator and target take turns, and lag measures the scheduler", cpus, nil},
	{"cpu-limit", "when a control group's CPU limit is used up, all threads stop for up to a period", quota, nil},
	{"governor", "a clock rate that follows the load makes low rates look slow", governor,
		[]Setting{{File, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", "performance"}}},
	{"boost", "the clock rate depends on heat and on how many cores work", boost,
		[]Setting{{File, "sys/devices/system/cpu/cpufreq/boost", "0"}, {File, "sys/devices/system/cpu/intel_pstate/no_turbo", "1"}}},
	{"smt", "two threads of one core slow each other down", smt,
		[]Setting{{File, "sys/devices/system/cpu/smt/control", "off"}}},
	{"clocksource", "a clock that is not read in user space costs a system call or more each time", clocksource, nil},
	{"virtual-machine", "the hypervisor may withhold CPU time; host_steal_ns of a run says how much", virtual, nil},
	{"load", "other work takes CPU time and caches", load, nil},
}

func cpus(f *Facts) finding {
	h := &f.Host
	found := fmt.Sprintf("%d usable of %d", h.CPUsUsable, h.CPUsOnline)
	switch {
	case h.CPUsUsable < 2:
		return finding{Warn, found, "give the generator and the target a CPU each"}
	case h.CPUsUsable < h.CPUsOnline:
		return finding{Note, found + ": an affinity mask or a cpuset leaves out the others", ""}
	}
	return finding{OK, found, ""}
}

func quota(f *Facts) finding {
	if !f.Host.CPULimit.Valid {
		return finding{OK, "none", ""}
	}
	return finding{Warn, fmt.Sprintf("%.2f cores", f.Host.CPULimit.V), "run outside of the group, or raise its cpu.max"}
}

func governor(f *Facts) finding {
	switch g := f.Host.Governor; g {
	case "":
		return unknown()
	case "performance":
		return finding{OK, g, ""}
	default:
		return finding{Warn, g, "cpupower frequency-set -g performance"}
	}
}

func boost(f *Facts) finding {
	switch f.Host.Boost {
	case "":
		return unknown()
	case "on":
		return finding{Note, "on", "for comparisons: echo 0 > /sys/devices/system/cpu/cpufreq/boost, or 1 > …/intel_pstate/no_turbo"}
	}
	return finding{OK, f.Host.Boost, ""}
}

func smt(f *Facts) finding {
	switch f.Host.SMT {
	case "":
		return unknown()
	case "on":
		return finding{Note, "on", "for comparisons: echo off > /sys/devices/system/cpu/smt/control"}
	}
	return finding{OK, f.Host.SMT, ""}
}

// clocksource: those named are read in user space.
func clocksource(f *Facts) finding {
	switch c := f.Host.Clocksource; c {
	case "":
		return unknown()
	case "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page":
		return finding{OK, c, ""}
	default:
		return finding{Warn, c, "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, where it is available"}
	}
}

func virtual(f *Facts) finding {
	if f.Host.VirtualMachine() {
		return finding{Note, strings.TrimSpace("yes " + f.Host.Virtualisation), ""}
	}
	return finding{OK, "no", ""}
}

// load: half the CPUs busy before a run starts leaves too few for two programs.
func load(f *Facts) finding {
	if !f.Host.Load1.Valid {
		return unknown()
	}
	found := fmt.Sprintf("%.2f on %d CPUs", f.Host.Load1.V, f.Host.CPUsOnline)
	if !Loaded(f.Host) {
		return finding{OK, found, ""}
	}
	for i, b := range f.Busy {
		if i == 0 {
			found += ", now: "
		} else {
			found += ", "
		}
		found += fmt.Sprintf("%s (%d) %.0f %%", b.Name, b.PID, 100*b.Share)
	}
	return finding{Warn, found, "end other work, and wait a minute"}
}

// Loaded reports whether other work keeps the host so busy that it is worth
// finding out who does it.
func Loaded(h monitor.Host) bool { return h.Load1.Valid && h.Load1.V > float64(h.CPUsOnline)/2 }
