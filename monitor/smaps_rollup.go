package monitor

import "bytes"

// rollup is a process's memory from /proc/<pid>/smaps_rollup, in bytes.
type rollup struct {
	rss int64 // resident
	pss int64 // resident, each page divided by the number of processes that map it
	uss int64 // resident and mapped by this process only
}

// parseRollup reads a smaps_rollup file: a line with the address range, then
// lines of "Key: value kB". Unknown keys are skipped, new kernels add some.
func parseRollup(path string, text []byte) (rollup, error) {
	var r rollup
	var rss, pss, clean, dirty bool
	for line := range bytes.Lines(text) {
		key, rest := nextField(line)
		var into *int64
		switch string(key) {
		case "Rss:":
			into, rss = &r.rss, true
		case "Pss:":
			into, pss = &r.pss, true
		case "Private_Clean:":
			into, clean = &r.uss, true
		case "Private_Dirty:":
			into, dirty = &r.uss, true
		case "Private_Hugetlb:": // private too, and in neither of the two
			into = &r.uss
		default:
			continue
		}
		value, rest := nextField(rest)
		unit, _ := nextField(rest)
		kb, ok := number(value)
		if !ok || string(unit) != "kB" || kb >= 1<<40 {
			return rollup{}, malformed(path, line, "a number of kB")
		}
		*into += kb << 10
	}
	if !rss || !pss || !clean || !dirty {
		return rollup{}, malformed(path, text, "Rss, Pss, Private_Clean and Private_Dirty")
	}
	return r, nil
}
