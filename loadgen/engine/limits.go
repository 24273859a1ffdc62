package engine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// reservedFiles are kept for everything that is no connection: the poller,
	// the files of the run, the sampler's.
	reservedFiles = 256
	// mostInFlight bounds the default: there are about 28,000 local ports for
	// one address by default, and a connection takes some 5 kB in the kernel.
	mostInFlight = 25_000
)

// raiseFiles raises the soft limit on open files to the hard one and returns
// it. The runtime does so only for programs that open a file through package
// os before anything set the limit.
func raiseFiles() (uint64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, os.NewSyscallError("getrlimit", err)
	}
	if limit.Cur == limit.Max {
		return limit.Cur, nil
	}
	raised := unix.Rlimit{Cur: limit.Max, Max: limit.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &raised); err != nil {
		return limit.Cur, nil // what there is will do, and the drops name their reason
	}
	return raised.Cur, nil
}

// inFlightFor is the default bound where so many files may be open.
func inFlightFor(files uint64) int {
	free := int(min(files, mostInFlight+reservedFiles)) - reservedFiles
	return max(free, int(min(files/2, reservedFiles)))
}

// fewInFlight is a bound that a slow target meets at a moderate rate.
const fewInFlight = 1024

// filesWarnings are about a limit on open files that may be felt: bound tells
// that inFlight follows from it.
func filesWarnings(files uint64, inFlight int, bound bool) []string {
	const advice = "what does not fit is dropped as fd_exhausted (raise it with ulimit -n)"
	switch {
	case bound && inFlight < fewInFlight:
		return []string{fmt.Sprintf("the limit of %d open files allows %d requests in flight: %s", files, inFlight, advice)}
	case uint64(inFlight) >= files:
		return []string{fmt.Sprintf("max_in_flight %d is more than the limit of %d open files allows: %s", inFlight, files, advice)}
	}
	return nil
}
