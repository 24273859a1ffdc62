package witness

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
)

// response to everything.
const response = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n"

// headEnd ends a request: those that come here have no body.
const headEnd = uint32('\r')<<24 | uint32('\n')<<16 | uint32('\r')<<8 | uint32('\n')

// A server is one event loop.
type server struct {
	plan     Plan
	poller   *epoll.Poller
	listener int
	tails    map[int]uint32 // last four bytes of each connection, by descriptor
	events   []epoll.Event
	buffer   [64 << 10]byte
	control  [64]byte
	seen     Arrivals
	settled  int64 // arrival of request Settle, 0 before
	stalls   int   // those behind us
}

// turn waits for what is ready and serves it.
func (s *server) turn() error {
	s.stall()
	n, err := s.poller.Wait(s.events, s.patience())
	if err != nil {
		return err
	}
	for _, e := range s.events[:n] {
		if int(e.Token) == s.listener {
			err = s.accept()
		} else {
			err = s.serve(int(e.Token))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// due is how long it is until the next stall; false when there is none.
func (s *server) due() (time.Duration, bool) {
	if s.settled == 0 || s.stalls == len(s.plan.Stalls) {
		return 0, false
	}
	return time.Duration(s.settled-time.Now().UnixNano()) + s.plan.Stalls[s.stalls], true
}

// stall stands still when it is time to.
func (s *server) stall() {
	if left, planned := s.due(); planned && left <= 0 {
		s.stalls++
		time.Sleep(s.plan.Stall) // the stall itself, not a way to wait for something
	}
}

func (s *server) patience() time.Duration {
	if left, planned := s.due(); planned {
		return max(0, left)
	}
	return epoll.Forever
}

// accept takes every connection that waits.
func (s *server) accept() error {
	for {
		fd, _, err := unix.Accept4(s.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
		case unix.EAGAIN:
			return nil
		case unix.EINTR, unix.ECONNABORTED:
			continue
		default:
			return os.NewSyscallError("accept4", err)
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return os.NewSyscallError("setsockopt TCP_NODELAY", err)
		}
		// Where the kernel knows no such stamps, the time of reading stands in, and is counted as such.
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		s.tails[fd] = 0
		if err := s.poller.Add(fd, epoll.In, uint64(fd)); err != nil {
			return err
		}
	}
}

// serve reads once and answers every request that ends in what it read. The
// poller tells again when there is more.
func (s *server) serve(fd int) error {
	n, controlled, _, _, err := unix.Recvmsg(fd, s.buffer[:], s.control[:], 0)
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil || n == 0 {
		delete(s.tails, fd)
		unix.Close(fd)
		return nil
	}
	at, byKernel := stamp(s.control[:controlled])
	if !byKernel {
		at = time.Now().UnixNano()
	}
	tail := s.tails[fd]
	for _, b := range s.buffer[:n] {
		if tail = tail<<8 | uint32(b); tail == headEnd {
			s.note(at, byKernel)
			// A few dozen bytes fit into any socket buffer; a generator that has gone needs none.
			_, _ = unix.SendmsgN(fd, []byte(response), nil, nil, unix.MSG_NOSIGNAL)
		}
	}
	s.tails[fd] = tail
	return nil
}

func (s *server) note(at int64, byKernel bool) {
	s.seen.UnixNS = append(s.seen.UnixNS, at)
	if byKernel {
		s.seen.ByKernel++
	}
	if s.settled == 0 && len(s.seen.UnixNS) >= Settle {
		s.settled = at
	}
}

// stamp finds the kernel's receive time (SCM_TIMESTAMPNS, a struct timespec of
// two 64-bit numbers) in a control message; cmsghdr is 16 bytes on every
// 64-bit machine.
func stamp(control []byte) (unixNS int64, found bool) {
	const header = 16
	if len(control) < header+16 {
		return 0, false
	}
	level, kind := binary.NativeEndian.Uint32(control[8:]), binary.NativeEndian.Uint32(control[12:])
	if level != unix.SOL_SOCKET || kind != unix.SO_TIMESTAMPNS {
		return 0, false
	}
	seconds, ns := binary.NativeEndian.Uint64(control[header:]), binary.NativeEndian.Uint64(control[header+8:])
	return int64(seconds)*int64(time.Second) + int64(ns), true
}
