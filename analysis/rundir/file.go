package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// bufferSize of an open file; flushAfter bounds what a killed program loses
// of the files that grow by a row a second.
const (
	bufferSize = 64 << 10
	flushAfter = time.Second
)

// A file is one streamed file of a draft. The first failing write is its error
// for ever: what follows a gap must not look whole.
type file struct {
	path    string
	f       *os.File
	w       *bufio.Writer
	finish  func() error // ends an encoder above the file, before it is closed
	flushed time.Time
	err     error
	closed  bool
}

// create opens a new file of the draft; a second one of the same name is an error.
func (d *Draft) create(name string) (*file, error) {
	f, err := os.OpenFile(filepath.Join(d.Path(), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	out := newFile(f)
	d.open = append(d.open, out)
	return out, nil
}

func newFile(f *os.File) *file {
	return &file{path: f.Name(), f: f, w: bufio.NewWriterSize(f, bufferSize), flushed: time.Now()}
}

// Write implements io.Writer for encoders above the file.
func (f *file) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	return n, f.keep(err)
}

// writeLine writes a line that ends in a newline, and flushes now and then.
func (f *file) writeLine(line []byte) error {
	if _, err := f.Write(line); err != nil {
		return err
	}
	if now := time.Now(); now.Sub(f.flushed) >= flushAfter {
		f.flushed = now
		return f.keep(f.w.Flush())
	}
	return nil
}

// Close writes what is buffered and tells the first error the file ever had.
func (f *file) Close() error {
	if f.closed {
		return f.err
	}
	f.closed = true
	if f.finish != nil {
		f.keep(f.finish())
	}
	if f.err == nil {
		f.keep(f.w.Flush())
	}
	f.keep(f.f.Close())
	return f.err
}

// keep remembers the first error; the operating system's own names the path
// already, others get it here.
func (f *file) keep(err error) error {
	if err == nil || f.err != nil {
		return f.err
	}
	f.err = err
	var named *os.PathError
	if !errors.As(err, &named) {
		f.err = fmt.Errorf("%s: %w", f.path, err)
	}
	return f.err
}

// Replace writes a file of a run directory whole or not at all: under a
// temporary name, made durable, renamed. Derived files are written this way too.
func Replace(dir, name string, data []byte) error {
	return ReplaceWith(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceWith is Replace for content that is produced piece by piece.
func ReplaceWith(dir, name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(dir, "."+name+".*")
	if named, ok := errors.AsType[*os.PathError](err); ok {
		named.Path = filepath.Join(dir, name) // nobody asked for the temporary name
	}
	if err != nil {
		return err
	}
	out := newFile(f)
	defer func() {
		if err != nil {
			_ = out.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(out); err != nil {
		return err // of the content, or what out said
	}
	if err := out.keep(out.w.Flush()); err != nil {
		return err
	}
	// CreateTemp's 0600 would hide the file from the group that shares results.
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}

// syncTree makes the files of dir and dir itself durable.
func syncTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if err := syncPath(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return syncPath(dir)
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some network and FUSE file systems have no fsync for directories.
	if err := f.Sync(); err != nil && !isUnsupported(err) {
		return err
	}
	return nil
}

func isUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}
