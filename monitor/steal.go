package monitor

import (
	"bytes"
	"math"
	"os"
	"time"
)

// stealInto adds the time in which the host's virtual CPUs were ready and the
// hypervisor ran others: to a guest it looks like latency of its own.
func (f FS) stealInto(c Counters) error {
	path := f.inProc("stat")
	text, err := os.ReadFile(path)
	if err != nil {
		if absent(err) {
			return nil
		}
		return err
	}
	steal, err := parseSteal(path, text)
	if err != nil {
		return err
	}
	c["host_steal_ns"] = int64(steal)
	return nil
}

// parseSteal reads the eighth number of the line "cpu", the sum of all CPUs.
func parseSteal(path string, text []byte) (time.Duration, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	field, rest := nextField(line)
	if string(field) != "cpu" {
		return 0, malformed(path, line, "the line of all CPUs first")
	}
	for range 8 {
		field, rest = nextField(rest)
	}
	const tick = time.Second / userHZ
	ticks, ok := number(field)
	if !ok || ticks > int64(math.MaxInt64/tick) {
		return 0, malformed(path, line, "steal in the eighth number")
	}
	return time.Duration(ticks) * tick, nil
}
