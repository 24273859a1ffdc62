package worker

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A child is all the memory that a forked worker uses, made by the template
// before the fork. It holds no pointer that the worker would store to, and is on
// the template's heap, never on its stack.
type child struct {
	socket uintptr // the worker's end
	node   uintptr // pid of the parent: CLONE_PARENT makes it the template's parent

	name    [16]byte
	action  [4]uint64 // a zero sigaction: the default, nothing blocked
	time    unix.Timespec
	heap    unsafe.Pointer // of heapLen bytes
	heapLen uintptr
	burns   bool   // CPU for the service time, instead of sleeping
	state   uint64 // of the arithmetic that burns it

	message message
}

// The functions below run in the forked process. A forked copy of a Go process
// has one thread and no scheduler, and whatever locks other threads held stay
// locked: so they never allocate, grow the stack, touch a map or an interface, or
// call anything but raw system calls, for the worker's whole life. go:nosplit makes
// the linker prove that the stack suffices; go:norace and go:nocheckptr keep the
// race detector's calls out.

// forkWorker clones the calling thread. In the new process it does not return.
//
//go:nosplit
//go:norace
//go:nocheckptr
func forkWorker(c *child) (pid uintptr, errno syscall.Errno) {
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_PARENT|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		c.enter()
		c.serve()
	}
	return pid, errno
}

// enter makes the clone a process of its own.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) enter() {
	// First the death signal, then the check: a node that died in between has already
	// given this process to another parent.
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	if parent, _, _ := syscall.RawSyscall6(unix.SYS_GETPPID, 0, 0, 0, 0, 0, 0); parent != c.node {
		c.exit(0)
	}
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(&c.name)), 0, 0, 0, 0)
	syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0, 0, 0, 0)

	// Keep the socket alone. Descriptors of the template that stayed open here would
	// keep its control socket and the cgroup files of Go's runtime alive.
	c.closeRange(0, c.socket-1)
	c.closeRange(c.socket+1, ^uintptr(0)>>32)

	// Go's signal handlers need the scheduler that is gone: default actions first,
	// then unblock (the action's zero words serve as the empty mask).
	for signal := uintptr(1); signal <= 64; signal++ {
		syscall.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&c.action)), 0, 8, 0, 0)
	}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&c.action)), 0, 8, 0, 0)
}

//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) closeRange(first, last uintptr) {
	_, _, errno := syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, first, last, 0, 0, 0, 0)
	if errno != unix.ENOSYS {
		return
	}
	for fd := first; fd <= last && fd < 1024; fd++ { // Linux before 5.9; the template holds few files
		syscall.RawSyscall6(unix.SYS_CLOSE, fd, 0, 0, 0, 0, 0)
	}
}

// serve greets and answers requests until the socket closes.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) serve() {
	m := &c.message
	pid, _, _ := syscall.RawSyscall6(unix.SYS_GETPID, 0, 0, 0, 0, 0, 0)
	m.kind = kindHello
	m.id = uint64(pid)
	for size := uintptr(frameSize); ; {
		// MSG_NOSIGNAL: a node that stopped this worker is a clean end, not SIGPIPE.
		_, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, c.socket, uintptr(unsafe.Pointer(m)), size, unix.MSG_NOSIGNAL, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			c.exit(0)
		}
		size = c.receive()
		m.nanos = c.work(m.nanos, uintptr(m.dirty))
		m.kind = kindResponse
		if m.flags&flagEcho == 0 {
			m.body = 0
			size = frameSize
		}
	}
}

// receive waits for one well-formed request and returns its size.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) receive() uintptr {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_READ, c.socket, uintptr(unsafe.Pointer(&c.message)), messageSize, 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0 || n == 0:
			c.exit(0)
		case n < frameSize || c.message.kind != kindRequest || uintptr(c.message.body) != n-frameSize:
			c.exit(exitProtocol)
		default:
			return n
		}
	}
}

// work takes nanos and returns how long it took.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) work(nanos int64, dirty uintptr) int64 {
	start := c.clock(unix.CLOCK_MONOTONIC)
	for at := uintptr(0); at < min(dirty, c.heapLen); at += pageSize {
		*(*byte)(unsafe.Add(c.heap, at))++
	}
	switch {
	case nanos <= 0:
	case c.burns:
		for end := c.clock(unix.CLOCK_THREAD_CPUTIME_ID) + nanos; c.clock(unix.CLOCK_THREAD_CPUTIME_ID) < end; {
			c.state = rounds(c.state)
		}
	default:
		c.sleepUntil(start + nanos)
	}
	return c.clock(unix.CLOCK_MONOTONIC) - start
}

// sleepUntil takes an absolute instant, so that an early wake-up does not shift it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) sleepUntil(instant int64) {
	c.time.Sec = instant / 1e9
	c.time.Nsec = instant % 1e9
	for {
		_, _, errno := syscall.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
			uintptr(unsafe.Pointer(&c.time)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// clock reads a clock by a system call: the vDSO form needs the scheduler's stack.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) clock(id uintptr) int64 {
	syscall.RawSyscall6(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&c.time)), 0, 0, 0, 0)
	return c.time.Sec*1e9 + c.time.Nsec
}

//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) exit(status uintptr) {
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, status, 0, 0, 0, 0, 0)
	}
}
