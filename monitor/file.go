package monitor

import (
	"os"

	"golang.org/x/sys/unix"
)

// A file is a kernel file kept open between sweeps, read from its start each
// time. That saves the lookup of its path, two thirds of the cost of stat, and
// pins the process: a file of /proc/<pid> that was opened for one process
// never shows another that got the same pid later. The zero value is closed.
type file struct {
	path   string
	fd     int
	opened bool
}

func (f *file) open(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for err == unix.EINTR {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	*f = file{path: path, fd: fd, opened: true}
	return nil
}

// read returns the text in buf. A text as long as buf may be cut and is an error.
func (f *file) read(buf []byte) ([]byte, error) {
	length := 0
	for length < len(buf) {
		n, err := unix.Pread(f.fd, buf[length:], int64(length))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: f.path, Err: err}
		}
		if n == 0 {
			return buf[:length], nil
		}
		length += n
	}
	return nil, &os.PathError{Op: "read", Path: f.path, Err: unix.EFBIG}
}

func (f *file) close() {
	if f.opened {
		unix.Close(f.fd)
	}
	*f = file{}
}
