package epoll

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Receive and Send move bytes of a non-blocking socket. They never block, so
// they skip the scheduler's book-keeping around a system call, which is a
// noticeable part of a small one; on a blocking socket they would stop the
// whole program.

// Receive reads into b, which must not be empty. The error is a bare errno,
// EAGAIN when there is nothing; 0 without an error is the end of the stream.
func Receive(fd int, b []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// Send writes a part of b, which must not be empty, and returns its length.
// The error is a bare errno, EAGAIN when the socket is full. A broken
// connection is EPIPE and no signal.
func Send(fd int, b []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// TimerSlack sets how late the kernel may wake the calling thread to save
// power: 1 ns and more, 0 for the process's default (50 µs unless changed).
// Lock the goroutine to its thread first.
func TimerSlack(d time.Duration) error {
	_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, uintptr(max(d, 0)), 0)
	if errno != 0 {
		return os.NewSyscallError("prctl timer slack", errno)
	}
	return nil
}
