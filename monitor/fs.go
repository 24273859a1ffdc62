package monitor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Proc is where the kernel's own files usually are.
const Proc = "/proc"

// FS is a mounted or captured /proc, with the sys, etc and run folders beside it.
type FS struct {
	proc, sys, etc, run string

	// live is true when the pids of this /proc are those of our own pid
	// namespace, so that a system call may name them too.
	live bool
}

// NewFS opens the /proc at root ("/proc", or a captured copy). Files of /sys,
// /etc and /run are looked for beside it.
func NewFS(root string) (FS, error) {
	info, err := os.Stat(root)
	if err != nil {
		return FS{}, fmt.Errorf("proc file system: %w", err)
	}
	if !info.IsDir() {
		return FS{}, fmt.Errorf("proc file system: %s is not a folder", root)
	}
	beside := filepath.Dir(filepath.Clean(root))
	self, _ := os.Readlink(filepath.Join(root, "self")) // no link: a captured copy
	return FS{
		proc: root,
		sys:  filepath.Join(beside, "sys"),
		etc:  filepath.Join(beside, "etc"),
		run:  filepath.Join(beside, "run"),
		live: self == strconv.Itoa(os.Getpid()),
	}, nil
}

// inProc joins a path by hand: it is built for every process of every sweep,
// and filepath.Join cleans what is clean already.
func (f FS) inProc(name string) string { return f.proc + "/" + name }

func (f FS) inSys(name string) string { return f.sys + "/" + name }

// of is a file of one process.
func (f FS) of(pid int, name string) string {
	return f.proc + "/" + strconv.Itoa(pid) + "/" + name
}

// fact reads a small file that may not exist: its text without the line end,
// and whether there was one.
func fact(path string) (string, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	return string(bytes.TrimSpace(text)), true
}

// absent reports whether a file is missing or closed to us, which is no fault
// of its text. ENODEV and EOPNOTSUPP come from sysfs files without a device
// behind them.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EOPNOTSUPP)
}

// vanished reports whether a process ended: its folder is gone, or a file
// opened earlier has nothing behind it.
func vanished(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH)
}

// malformed is the error of a kernel file that says something unexpected.
func malformed(path string, text []byte, want string) error {
	const shown = 80
	if len(text) > shown {
		return fmt.Errorf("%s: %q and %d bytes more: want %s", path, text[:shown], len(text)-shown, want)
	}
	return fmt.Errorf("%s: %q: want %s", path, text, want)
}
