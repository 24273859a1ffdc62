package engine

import (
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is an instant of Go's clock on CLOCK_MONOTONIC, which other
// processes of this machine can read too. The two are read one after the
// other; of several pairs the closest counts, to a fraction of a microsecond
// unless the thread was interrupted in each.
func monotonic(at time.Time) time.Duration {
	best, closest := time.Duration(0), time.Duration(math.MaxInt64)
	for range 8 {
		before := time.Now()
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			panic(os.NewSyscallError("clock_gettime", err)) // there is no Linux without it
		}
		if apart := time.Since(before); apart < closest {
			closest = apart
			best = time.Duration(ts.Nano()) + at.Sub(before) - apart/2
		}
	}
	return best
}
