package monitor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A Usage is the CPU time that our own process has used since it started.
type Usage struct{ User, System time.Duration }

// OwnUsage reads it.
func OwnUsage() (Usage, error) {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return Usage{}, os.NewSyscallError("getrusage", err)
	}
	return Usage{User: time.Duration(used.Utime.Nano()), System: time.Duration(used.Stime.Nano())}, nil
}

// Since is what was used after before was read.
func (u Usage) Since(before Usage) Usage {
	return Usage{u.User - before.User, u.System - before.System}
}

// openFiles counts the open files of our own process. From Linux 6.2 on their
// number is the size of the folder; before, it takes a reading of all of it.
func (f FS) openFiles() (Null[int64], error) {
	path := f.inProc("self/fd")
	info, err := os.Stat(path)
	if err != nil {
		if absent(err) { // a captured /proc has no self
			return Null[int64]{}, nil
		}
		return Null[int64]{}, err
	}
	if n := info.Size(); n > 0 {
		return Null[int64]{V: n, Valid: true}, nil
	}
	names, err := os.ReadDir(path)
	if err != nil {
		return Null[int64]{}, err
	}
	return Null[int64]{V: int64(len(names)) - 1, Valid: true}, nil // without the folder itself, open to be read
}
