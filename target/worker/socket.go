package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// socketPair returns the node's end, which blocks goroutines and not threads,
// and the blocking descriptor for the process at the other end.
func socketPair(name string) (ours *os.File, theirs int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, -1, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, -1, os.NewSyscallError("fcntl O_NONBLOCK", err)
	}
	return os.NewFile(uintptr(fds[0]), name), fds[1], nil
}

// sendFD sends one message with one descriptor attached.
func sendFD(to *os.File, message []byte, fd int) error {
	raw, err := to.SyscallConn()
	if err != nil {
		return err
	}
	rights := unix.UnixRights(fd)
	var sent error
	err = raw.Write(func(socket uintptr) bool {
		sent = unix.Sendmsg(int(socket), message, rights, nil, unix.MSG_NOSIGNAL)
		return sent != unix.EAGAIN
	})
	if err != nil {
		return err
	}
	return os.NewSyscallError("sendmsg", sent)
}
