// Package epoll is the readiness poller under both event loops: the worker
// node's reactor and the load generator's shards. It knows descriptors and
// instants and nothing of HTTP.
package epoll

import (
	"math"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Readiness bits, as in epoll_ctl(2).
const (
	In        = unix.EPOLLIN
	Out       = unix.EPOLLOUT
	PeerShut  = unix.EPOLLRDHUP
	Hangup    = unix.EPOLLHUP
	Failed    = unix.EPOLLERR
	Edge      = uint32(unix.EPOLLET & 0xffffffff)
	Exclusive = unix.EPOLLEXCLUSIVE
)

// Forever as a timeout of Wait blocks until something is ready.
const Forever time.Duration = -1

// wakeToken marks the poller's own eventfd; Wait never returns it.
const wakeToken = ^uint64(0)

// An Event is readiness of one descriptor, told by the token it was added with.
type Event struct {
	Events uint32
	Token  uint64
}

// A Poller is an epoll instance with an eventfd to wake it. All methods but
// Wake belong to one goroutine.
type Poller struct {
	fd, wake int
	raw      []unix.EpollEvent
	noPwait2 bool
}

// Open makes a poller that returns at most size events a Wait.
func Open(size int) (*Poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("eventfd", err)
	}
	p := &Poller{fd: fd, wake: wake, raw: make([]unix.EpollEvent, size)}
	if err := p.Add(wake, In|Edge, wakeToken); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Add watches fd. Any token but the largest uint64 may be used.
func (p *Poller) Add(fd int, events uint32, token uint64) error {
	return p.control("epoll_ctl add", unix.EPOLL_CTL_ADD, fd, events, token)
}

// Modify changes what fd is watched for.
func (p *Poller) Modify(fd int, events uint32, token uint64) error {
	return p.control("epoll_ctl mod", unix.EPOLL_CTL_MOD, fd, events, token)
}

// Remove stops watching fd. Closing a descriptor that no other process shares does the same.
func (p *Poller) Remove(fd int) error {
	return p.control("epoll_ctl del", unix.EPOLL_CTL_DEL, fd, 0, 0)
}

func (p *Poller) control(name string, op, fd int, events uint32, token uint64) error {
	ev := unix.EpollEvent{Events: events, Fd: int32(uint32(token)), Pad: int32(uint32(token >> 32))}
	return os.NewSyscallError(name, unix.EpollCtl(p.fd, op, fd, &ev))
}

// Wait fills dst with what is ready and returns the count, 0 at the timeout,
// at a Wake or at a signal. A timeout of 0 only looks, any negative one waits
// forever. Timeouts have nanosecond resolution where the kernel has
// epoll_pwait2 (5.11), else they round up to a millisecond.
func (p *Poller) Wait(dst []Event, timeout time.Duration) (int, error) {
	raw := p.raw[:min(len(p.raw), len(dst))]
	n, err := p.wait(raw, timeout)
	if err == unix.EINTR {
		return 0, nil
	}
	if err != nil {
		return 0, os.NewSyscallError("epoll_wait", err)
	}
	kept := 0
	for i := range raw[:n] {
		token := uint64(uint32(raw[i].Fd)) | uint64(uint32(raw[i].Pad))<<32
		if token == wakeToken { // edge-triggered, so the counter need not be read back
			continue
		}
		dst[kept] = Event{Events: raw[i].Events, Token: token}
		kept++
	}
	return kept, nil
}

func (p *Poller) wait(raw []unix.EpollEvent, timeout time.Duration) (int, error) {
	if timeout == 0 {
		return p.look(raw)
	}
	if timeout < 0 || p.noPwait2 {
		return unix.EpollWait(p.fd, raw, milliseconds(timeout))
	}
	ts := unix.NsecToTimespec(int64(timeout))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&raw[0])),
		uintptr(len(raw)), uintptr(unsafe.Pointer(&ts)), 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.ENOSYS, unix.EPERM: // an older kernel, or a seccomp filter older than the call
		p.noPwait2 = true
		return p.wait(raw, timeout)
	}
	return 0, errno
}

// look never blocks, so the scheduler need not hear of it.
func (p *Poller) look(raw []unix.EpollEvent) (int, error) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&raw[0])),
		uintptr(len(raw)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// milliseconds rounds up: a timer that fires early would be waited for twice.
func milliseconds(d time.Duration) int {
	if d < 0 {
		return -1
	}
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return int(min(ms, math.MaxInt32))
}

// Wake makes a Wait in progress, or the next one, return. Safe from any goroutine.
func (p *Poller) Wake() error {
	one := [8]byte{1}
	_, err := unix.Write(p.wake, one[:])
	if err == unix.EAGAIN { // the counter is full, so a wake is pending already
		return nil
	}
	return os.NewSyscallError("write eventfd", err)
}

// Close releases the poller; watched descriptors stay open.
func (p *Poller) Close() error {
	unix.Close(p.wake)
	return os.NewSyscallError("close epoll", unix.Close(p.fd))
}
