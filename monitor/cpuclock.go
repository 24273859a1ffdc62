package monitor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// processClock is the CPU time of a process in nanoseconds, where stat rounds
// user and system time down to 10 ms each: a worker that sleeps through its
// requests uses less than that in minutes. The clock's number follows from the
// pid (clock_getcpuclockid(3)); 2 is the scheduler's own account.
func processClock(pid int) (time.Duration, error) {
	return cpuClock(int32(^pid<<3 | 2))
}

// threadClock is the CPU time of the calling thread, so it means something on
// a locked thread only.
func threadClock() (time.Duration, error) { return cpuClock(unix.CLOCK_THREAD_CPUTIME_ID) }

func cpuClock(id int32) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}
	return time.Duration(ts.Nano()), nil
}
