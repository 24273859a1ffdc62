package monitor

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"
)

// userHZ is the unit of the times in /proc/<pid>/stat, part of the kernel's
// ABI on amd64 and arm64 whatever CONFIG_HZ is.
const userHZ = 100

// stat is what /proc/<pid>/stat tells of a process (proc_pid_stat(5)).
type stat struct {
	pid     int
	comm    []byte // part of the parsed text
	state   byte
	ppid    int
	own     time.Duration // user and system time of all its threads
	reaped  time.Duration // the same of the children it waited for, and of theirs
	threads int
	start   int64 // clock ticks since boot
}

// zombie reports whether only the entry in the process table is left.
func (s stat) zombie() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// parseStat reads a stat file. The name in parentheses may hold anything,
// spaces and parentheses too, so it ends at the last one.
func parseStat(path string, text []byte) (stat, error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return stat{}, malformed(path, text, "a pid and a name in parentheses")
	}
	pid, ok := number(bytes.TrimSpace(text[:open]))
	if !ok {
		return stat{}, malformed(path, text[:open], "a pid")
	}
	s := stat{pid: int(pid), comm: text[open+1 : end]}
	state, rest := nextField(text[end+1:])
	if len(state) != 1 {
		return stat{}, malformed(path, state, "a state of one letter after the name")
	}
	s.state = state[0]
	var ticks [4]int64 // utime stime cutime cstime
	for index := 4; index <= 22; index++ {
		var field []byte
		field, rest = nextField(rest)
		var into *int64
		var n int64
		switch index {
		case 4, 20, 22:
			into = &n
		case 14, 15, 16, 17:
			into = &ticks[index-14]
		default:
			continue // signed or of no use here
		}
		if *into, ok = number(field); !ok {
			return stat{}, malformed(path, field, fmt.Sprintf("a number in field %d", index))
		}
		switch index {
		case 4:
			s.ppid = int(n)
		case 20:
			s.threads = int(n)
		case 22:
			s.start = n
		}
	}
	const tick = time.Second / userHZ
	for _, n := range ticks {
		if n > int64(math.MaxInt64/tick)/2 {
			return stat{}, malformed(path, strconv.AppendInt(nil, n, 10), "at most 146 years of CPU time")
		}
	}
	s.own = time.Duration(ticks[0]+ticks[1]) * tick
	s.reaped = time.Duration(ticks[2]+ticks[3]) * tick
	return s, nil
}
