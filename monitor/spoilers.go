package monitor

import (
	"fmt"
	"strings"
)

// spoilers are the facts that distort a measurement, each with what it does.
func (h Host) spoilers() []string {
	var found []string
	warn := func(on bool, format string, args ...any) {
		if on {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	warn(h.CPUsUsable < 2, "one CPU: generator and node take turns on it, and lag measures the scheduler")
	warn(h.CPULimit.Valid, "a control group limits CPU to %.2f cores: when that is used up all threads stop for up to a period", h.CPULimit.V)
	warn(h.Governor != "" && h.Governor != "performance", "CPU governor %s: the clock rate follows the load, so low rates look slow", h.Governor)
	warn(h.virtualMachine(), "virtual machine: the hypervisor may withhold CPU time, see host_steal_ns")
	warn(h.slowClock(), "clocksource %s: reading the time costs a system call or more", h.Clocksource)
	// Half the CPUs busy before the run starts leaves too few for two programs.
	warn(h.Load1.Valid && h.Load1.V > float64(h.CPUsOnline)/2, "load %.2f on %d CPUs before the run: other work takes part", h.Load1.V, h.CPUsOnline)
	warn(h.THP == "always", "transparent huge pages always: a worker's first write copies 2 MiB, which raises PSS and fork cost")
	warn(h.KSM == "1", "KSM merges equal pages of processes: PSS falls with time and not with sharing by fork")
	warn(h.SwapBytes.V > 0, "swap is on: a swapped page is in neither RSS nor PSS, and its return is latency")
	warn(h.NofileSoft.Valid && h.NofileSoft.V < 4096, "%d open files allowed: connections in flight are bounded by it", h.NofileSoft.V)
	ports := h.LocalPortLast.V - h.LocalPortFirst.V + 1
	warn(h.LocalPortFirst.Valid && h.LocalPortLast.Valid && ports < 10000, "%d local ports: new connections run out of them, each is held for 60 s after its end", ports)
	warn(h.Somaxconn.Valid && h.Somaxconn.V < 4096, "somaxconn %d cuts the node's accept backlog of 4096: bursts overflow it", h.Somaxconn.V)
	warn(h.MemoryBytes.Valid && h.MemoryAvailableBytes.V < h.MemoryBytes.V/10, "less than a tenth of memory is available: reclaim disturbs the run")
	return found
}

// slowClock reports a clocksource that is not read in user space.
func (h Host) slowClock() bool {
	switch h.Clocksource {
	case "", "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page":
		return false
	}
	return true
}

// virtualMachine leaves out the containers that gopsutil names as guests too.
func (h Host) virtualMachine() bool {
	switch system, _, _ := strings.Cut(h.Virtualisation, " "); system {
	case "kvm", "xen", "hyperv", "vbox", "vmware":
		return true
	}
	return h.Hypervisor
}
