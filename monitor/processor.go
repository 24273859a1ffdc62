package monitor

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processor fills the facts about CPUs. They are read raw: gopsutil's cpu
// package has no governor, boost or affinity, and brings a dependency more.
func (f FS) processor(h *Host) {
	model, guest, err := f.cpuinfo()
	if err != nil && !absent(err) {
		h.note(err)
	}
	h.CPUModel, h.Hypervisor = model, guest
	if text, there := fact(f.inSys("devices/system/cpu/online")); there {
		n, err := parseCPUList(f.inSys("devices/system/cpu/online"), text)
		h.note(err)
		if err == nil {
			h.CPUsOnline = n
		}
	}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		h.CPUsUsable = set.Count()
	}
	h.Governor = f.governor()
	h.Boost = f.boost()
	if active, there := fact(f.inSys("devices/system/cpu/smt/active")); there {
		h.SMT = onOff(active == "1")
	}
	h.Clocksource, _ = fact(f.inSys("devices/system/clocksource/clocksource0/current_clocksource"))
	if text, there := fact(f.inProc("loadavg")); there {
		load, err := strconv.ParseFloat(firstField(text), 64)
		if err != nil || !(load >= 0 && load < 1e6) {
			h.note(malformed(f.inProc("loadavg"), []byte(text), "the load of one minute first"))
		} else {
			h.Load1 = Null[float64]{V: load, Valid: true}
		}
	}
}

// cpuinfo reads the first processor's model and whether it says that it runs
// under a hypervisor. arm64 names no model; then the numbers of its maker and
// part stand for it.
func (f FS) cpuinfo() (model string, guest bool, err error) {
	file, err := os.Open(f.inProc("cpuinfo"))
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	var maker, part string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20) // flags are long
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "model name":
			model = value
		case "CPU implementer":
			maker = value
		case "CPU part":
			part = value
		case "flags":
			guest = slices.Contains(strings.Fields(value), "hypervisor")
		case "":
			if model != "" || part != "" { // the end of the first processor
				return modelName(model, maker, part), guest, nil
			}
		}
	}
	return modelName(model, maker, part), guest, lines.Err()
}

func modelName(model, maker, part string) string {
	if model == "" && part != "" {
		return "arm implementer " + maker + " part " + part
	}
	return model
}

// governor is the scaling governor of all CPUs, those of a mixed set joined.
func (f FS) governor() string {
	paths, _ := filepath.Glob(f.inSys("devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"))
	var names []string
	for _, path := range paths {
		if name, there := fact(path); there && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// boost has two homes: the intel_pstate driver tells the opposite.
func (f FS) boost() string {
	if off, there := fact(f.inSys("devices/system/cpu/intel_pstate/no_turbo")); there {
		return onOff(off == "0")
	}
	if on, there := fact(f.inSys("devices/system/cpu/cpufreq/boost")); there {
		return onOff(on == "1")
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// parseCPUList counts the CPUs of a list like "0-3,8".
func parseCPUList(path, text string) (int, error) {
	count := 0
	for item := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		from, okFrom := number([]byte(first))
		to, okTo := number([]byte(last))
		if !okFrom || !okTo || to < from || to >= 1<<20 {
			return 0, malformed(path, []byte(text), "a list of CPUs")
		}
		count += int(to-from) + 1
	}
	return count, nil
}
