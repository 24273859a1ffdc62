// Package smaps reads what memory a process has, as the kernel sums it up. It is
// for occasional readings; the monitor's sampler keeps its files open and does
// not allocate.
package smaps

import (
	"fmt"
	"os"
	"strings"
)

// Memory is what a process has resident, in bytes.
type Memory struct {
	RSS int64 // all
	PSS int64 // each page divided by the number of processes that map it
	USS int64 // what no other process maps: what its end would free
}

// Add sums up processes. A sum of PSS counts a shared page once, a sum of RSS
// once for each process.
func (m Memory) Add(other Memory) Memory {
	return Memory{RSS: m.RSS + other.RSS, PSS: m.PSS + other.PSS, USS: m.USS + other.USS}
}

// Read reads /proc/<pid>/smaps_rollup.
func Read(pid int) (Memory, error) {
	path := fmt.Sprintf("/proc/%d/smaps_rollup", pid)
	text, err := os.ReadFile(path)
	if err != nil {
		return Memory{}, err
	}
	m, err := parse(string(text))
	if err != nil {
		return Memory{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func parse(text string) (Memory, error) {
	var m Memory
	var clean, dirty int64
	fields := map[string]*int64{"Rss:": &m.RSS, "Pss:": &m.PSS, "Private_Clean:": &clean, "Private_Dirty:": &dirty}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, " ")
		into, ok := fields[name]
		if !ok {
			continue
		}
		var kb int64
		if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%d kB", &kb); err != nil {
			return Memory{}, fmt.Errorf("%q: want a number of kB", line)
		}
		*into = kb << 10
		delete(fields, name)
	}
	for name := range fields {
		return Memory{}, fmt.Errorf("no line %s", name)
	}
	m.USS = clean + dirty
	return m, nil
}
