package worker

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A Link is a worker's socket in the hands of an event loop: nothing blocks, and
// there is no lock, because the loop's thread alone uses it. It outlives the
// worker's process until it is closed, so an answer sent before death is not lost.
type Link struct {
	worker *Worker
	fd     int // -1 after Close
	frames exchange
}

// Link takes the socket away from the worker, whose Do is of no use from then on:
// the runtime's own poller would hear of every answer as well, and wake a thread for it.
func (w *Worker) Link() (*Link, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	raw, err := w.socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	l := &Link{worker: w, frames: w.frames}
	var failed error
	if err := raw.Control(func(fd uintptr) { l.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", failed)
	}
	w.broken = fmt.Errorf("worker %d: its socket is linked to an event loop", w.ID)
	_ = w.socket.Close()
	return l, nil
}

// FD is the descriptor to watch for reading; -1 after Close.
func (l *Link) FD() int { return l.fd }

// Send hands a request over; its Deadline is the caller's to keep. One request may
// be under way at a time. After any error but a refused request the worker is of
// no further use: Kill it.
func (l *Link) Send(r Request) error {
	if err := r.validate(); err != nil {
		return err
	}
	message := l.frames.request(r)
	for {
		_, err := unix.Write(l.fd, message) // SEQPACKET: all of it or nothing
		if err != unix.EINTR {
			return l.worker.told(err)
		}
	}
}

// Receive takes the answer if it is there. The error is ErrDied when the worker has
// closed its end: the process ends, or has ended.
func (l *Link) Receive() (result Result, ok bool, err error) {
	buf := l.frames.buf[:cap(l.frames.buf)]
	for {
		n, err := unix.Read(l.fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return Result{}, false, nil
		case err == nil && n == 0:
			err = io.EOF
		}
		if err == nil {
			result, err = l.frames.response(buf[:n])
		}
		return result, err == nil, l.worker.told(err)
	}
}

// Close makes an idle worker end by itself. A second call does nothing.
func (l *Link) Close() {
	if l.fd >= 0 {
		unix.Close(l.fd)
	}
	l.fd = -1
}

// told is what a socket's error says about the worker, without waiting for its end.
func (w *Worker) told(err error) error {
	switch {
	case err == nil:
		return nil
	case isClosed(err):
		err = ErrDied
	}
	return fmt.Errorf("worker %d (pid %d): %w", w.ID, w.PID, err)
}
