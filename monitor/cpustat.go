package monitor

import (
	"bytes"
	"math"
	"os"
)

// throttlingInto adds the throttling counters of process pid's CPU groups, or
// of ours for 0. A group's counters are its own, and a throttled parent stops
// its children as well, so the levels add up.
func (f FS) throttlingInto(c Counters, pid int) error {
	groups, err := f.cgroups(pid)
	if err != nil {
		return err
	}
	for _, dir := range groups.dirs {
		path := dir + "/cpu.stat"
		text, err := os.ReadFile(path)
		if err != nil {
			if absent(err) { // the root group has none
				continue
			}
			return err
		}
		if err := parseCPUStat(c, path, text); err != nil {
			return err
		}
	}
	return nil
}

// parseCPUStat adds what a cpu.stat tells of throttling. Version 2 has
// throttled_usec, version 1 throttled_time in ns.
func parseCPUStat(c Counters, path string, text []byte) error {
	for line := range bytes.Lines(text) {
		name, rest := nextField(line)
		key, scale := "", int64(1)
		switch string(name) {
		case "nr_periods":
			key = "cgroup_periods"
		case "nr_throttled":
			key = "cgroup_throttled_periods"
		case "throttled_time":
			key = "cgroup_throttled_ns"
		case "throttled_usec":
			key, scale = "cgroup_throttled_ns", 1000
		default:
			continue
		}
		field, _ := nextField(rest)
		n, ok := number(field)
		if !ok || n > (math.MaxInt64-c[key])/scale {
			return malformed(path, line, "a count")
		}
		c[key] += n * scale
	}
	return nil
}
