package monitor

import (
	"errors"
	"fmt"
	"time"
)

// Counters are kernel counters by key, since boot or since the group was made.
// A counter that this kernel does not have has no key. Keys ending in _ns are
// times, all others are counts.
type Counters map[string]int64

// Counters reads the counters of the network namespace and CPU groups of
// process pid, or of our own for 0. What could be read is returned beside the
// error.
func (f FS) Counters(pid int) (Counters, error) {
	c := Counters{}
	err := errors.Join(f.netInto(c, pid), f.throttlingInto(c, pid), f.stealInto(c))
	return c, err
}

// Since are the differences to counters read before. A counter that only one
// side has, or that fell (its group was made anew), has none.
func (c Counters) Since(before Counters) Counters {
	diff := Counters{}
	for key, n := range c {
		if old, ok := before[key]; ok && n >= old {
			diff[key] = n - old
		}
	}
	return diff
}

// Warnings says what differences mean for a measurement over length, > 0.
func (c Counters) Warnings(length time.Duration) []string {
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if n := c["tcp_listen_overflows"]; n > 0 {
		warn("the accept queue of a socket overflowed %d times: latency steps of 1, 3 and 7 s are the client's retries", n)
	} else if n := c["tcp_listen_drops"] + c["tcp_request_queue_drops"]; n > 0 {
		warn("%d connection requests were dropped before accept: latency steps of 1, 3 and 7 s are the client's retries", n)
	}
	if n := c["tcp_syn_retransmits"]; n > 0 {
		warn("%d connection requests were sent again after 1 s or more: those connections took that long", n)
	}
	if n := c["tcp_backlog_drops"]; n > 0 {
		warn("%d segments were dropped because a socket's backlog was full", n)
	}
	if n := c["tcp_timeouts"]; n > 0 {
		warn("%d TCP retransmission timeouts, 200 ms or more each", n)
	}
	if n := c["cgroup_throttled_periods"]; n > 0 {
		warn("the CPU limit of the control group stopped it %d times, %v in all", n, time.Duration(c["cgroup_throttled_ns"]))
	}
	// Below one hundredth of a core steal is lost in other noise.
	if stolen := time.Duration(c["host_steal_ns"]); stolen > length/100 {
		warn("the hypervisor withheld %v of CPU time in %v", stolen, length)
	}
	return warnings
}
