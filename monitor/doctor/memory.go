package doctor

import "fmt"

var memory = []Check{
	{"huge-pages", "a first write copies 2 MiB, which raises PSS and the cost of a fork", hugePages,
		[]Setting{{File, "sys/kernel/mm/transparent_hugepage/enabled", "madvise"}}},
	{"ksm", "equal pages of processes are merged: PSS falls with time and not with sharing by fork", samePages,
		[]Setting{{File, "sys/kernel/mm/ksm/run", "2"}}},
	{"numa-balancing", "pages are unmapped and moved between nodes: page faults show as latency", numa,
		[]Setting{{File, "proc/sys/kernel/numa_balancing", "0"}}},
	{"swap", "a swapped page is in neither RSS nor PSS, and its return is latency", swap,
		[]Setting{{Swap, "", "off"}}},
	{"memory", "short of memory, the kernel's reclaim disturbs the run", available, nil},
}

func hugePages(f *Facts) finding {
	switch mode := f.Host.THP; mode {
	case "":
		return unknown()
	case "always":
		return finding{Warn, mode, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"}
	default:
		return finding{OK, mode, ""}
	}
}

func samePages(f *Facts) finding {
	switch f.Host.KSM {
	case "":
		return unknown()
	case "1":
		return finding{Warn, "on", "echo 2 > /sys/kernel/mm/ksm/run"}
	}
	return finding{OK, "off", ""}
}

func numa(f *Facts) finding {
	switch f.Host.NUMABalancing {
	case "":
		return unknown()
	case "0":
		return finding{OK, "off", ""}
	}
	return finding{Warn, "on", "sysctl -w kernel.numa_balancing=0"}
}

func swap(f *Facts) finding {
	switch n := f.Host.SwapBytes; {
	case !n.Valid:
		return unknown()
	case n.V > 0:
		return finding{Warn, fmt.Sprintf("%d MB", n.V/1e6), "swapoff -a"}
	}
	return finding{OK, "off", ""}
}

func available(f *Facts) finding {
	all, free := f.Host.MemoryBytes, f.Host.MemoryAvailableBytes
	if !all.Valid || !free.Valid {
		return unknown()
	}
	found := fmt.Sprintf("%d of %d MB available", free.V/1e6, all.V/1e6)
	if free.V < all.V/10 {
		return finding{Warn, found, "end other work"}
	}
	return finding{OK, found, ""}
}
