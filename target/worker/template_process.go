package worker

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A command asks the template for a worker; the worker's end of its socket
// comes with it as SCM_RIGHTS. A reply gives the pid, or why there is none.
type (
	command struct {
		id uint64
	}
	reply struct {
		id    uint64
		pid   int32
		errno int32
	}
)

const (
	commandSize = 8
	replySize   = 16
)

// runTemplate forks a worker for each command until the control socket closes.
// Its own work is over before the first fork: the heap is touched, garbage
// collected and the collector off, so that it shares its pages for good.
func runTemplate(e equipment) error {
	runtime.LockOSThread() // the signal mask below belongs to this thread
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	// A signal between the clone and the child's own handlers would run Go's handler
	// in a process that has no scheduler.
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		return os.NewSyscallError("sigprocmask", err)
	}
	c := &child{
		node:    uintptr(unix.Getppid()),
		heap:    unsafe.Pointer(unsafe.SliceData(e.heap)),
		heapLen: uintptr(len(e.heap)),
		burns:   e.work == CPU,
		state:   1,
	}
	copy(c.name[:], WorkerName)
	in := newInbox(childSocket)
	runtime.GC()
	debug.FreeOSMemory()
	debug.SetGCPercent(-1)

	hello := frame{kind: kindHello, id: uint64(unix.Getpid())}
	if _, err := unix.Write(childSocket, hello.append(nil)); err != nil {
		return os.NewSyscallError("write", err)
	}
	for {
		more, err := in.receive()
		if err != nil || !more {
			return err
		}
		c.socket = uintptr(in.rights.fd)
		pid, errno := forkWorker(c)
		_ = unix.Close(int(in.rights.fd)) // the worker has its own; ours would hide its end
		answer := reply{id: in.command.id, pid: int32(pid), errno: int32(errno)}
		if errno != 0 {
			answer.pid = 0
		}
		if err := sendReply(&answer); err != nil {
			return err
		}
	}
}

func sendReply(r *reply) error {
	_, _, errno := syscall.Syscall6(unix.SYS_SENDTO, childSocket, uintptr(unsafe.Pointer(r)), replySize, unix.MSG_NOSIGNAL, 0, 0)
	if errno == unix.EPIPE { // the node closed; the next receive ends the loop
		return nil
	}
	if errno != 0 {
		return os.NewSyscallError("sendto", errno)
	}
	return nil
}

// An inbox receives commands without allocating: the template's collector is off.
type inbox struct {
	socket  uintptr
	command command
	rights  struct {
		unix.Cmsghdr
		fd int32
		_  int32
	}
	vector unix.Iovec
	header unix.Msghdr
}

func newInbox(socket uintptr) *inbox {
	in := &inbox{socket: socket}
	in.vector.Base = (*byte)(unsafe.Pointer(&in.command))
	in.vector.SetLen(commandSize)
	in.header.Iov = &in.vector
	in.header.SetIovlen(1)
	in.header.Control = (*byte)(unsafe.Pointer(&in.rights))
	return in
}

// receive waits for a command; false means that the node closed the socket.
func (in *inbox) receive() (bool, error) {
	for {
		in.header.SetControllen(int(unsafe.Sizeof(in.rights)))
		n, _, errno := syscall.Syscall(unix.SYS_RECVMSG, in.socket, uintptr(unsafe.Pointer(&in.header)), unix.MSG_CMSG_CLOEXEC)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return false, os.NewSyscallError("recvmsg", errno)
		case n == 0:
			return false, nil
		case n != commandSize || in.rights.Type != unix.SCM_RIGHTS || in.header.Controllen == 0:
			return false, os.NewSyscallError("recvmsg", unix.EBADMSG)
		default:
			return true, nil
		}
	}
}
