package fitter

import (
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Name is the process's argv[0], by which Main knows what it was started as, and
// the comm by which a monitor tells it apart.
const Name = "edge-fitter"

// childSocket is where the process finds its socket.
const childSocket = 3

// Main must come first in main (and in TestMain of tests that start fitters): in
// a process that was started as a fitter it answers until the socket closes and
// never returns, in any other it does nothing.
func Main() {
	if os.Args[0] != Name {
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve() error {
	text, err := unix.BytePtrFromString(Name)
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(text)), 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_NAME", err)
	}
	runtime.GOMAXPROCS(1) // a fit has one thread; the collector needs no other
	buf := make([]byte, maxMessage)
	var out []byte
	for {
		n, err := unix.Read(childSocket, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil && err != unix.ECONNRESET:
			return os.NewSyscallError("read", err)
		case n <= 0: // the node closed
			return nil
		}
		q, err := parseQuestion(buf[:n])
		if err != nil {
			return err
		}
		begun := time.Now()
		forecast, err := q.Answer()
		out = answer{time.Since(begun), forecast, err}.append(out[:0])
		err = unix.Sendto(childSocket, out, unix.MSG_NOSIGNAL, nil)
		if err != nil && err != unix.EPIPE && err != unix.ECONNRESET { // those end the next read
			return os.NewSyscallError("sendto", err)
		}
	}
}
