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

// read returns the text in buf. The files of a process that are kept are one
// record each, which the kernel gives whole to one call. A text as long as buf
// may be cut and is an error.
func (f *file) read(buf []byte) ([]byte, error) {
	n, err := f.at(buf, 0)
	if err == nil && n == len(buf) {
		err = &os.PathError{Op: "read", Path: f.path, Err: unix.EFBIG}
	}
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// readLong is read for a file of several records, which takes as many calls as
// it needs and a larger buffer than buf when the text is longer.
func (f *file) readLong(buf []byte) ([]byte, error) {
	for length := 0; ; {
		n, err := f.at(buf[length:], length)
		if err != nil {
			return nil, err
		}
		if length += n; n == 0 {
			return buf[:length], nil
		}
		if length == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

func (f *file) at(buf []byte, offset int) (int, error) {
	n, err := unix.Pread(f.fd, buf, int64(offset))
	for err == unix.EINTR {
		n, err = unix.Pread(f.fd, buf, int64(offset))
	}
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: f.path, Err: err}
	}
	return n, nil
}

func (f *file) close() {
	if f.opened {
		unix.Close(f.fd)
	}
	*f = file{}
}
