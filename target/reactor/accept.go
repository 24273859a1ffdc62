package reactor

import (
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
	"edgebench/target/httpwire"
)

const (
	acceptsPerTurn = 64
	acceptPause    = 50 * time.Millisecond // when the kernel lacks memory, or the reserve is lost
)

// accept takes new connections. The listener is level-triggered, so what is
// left has the next turn.
func (r *Reactor) accept() {
	for range acceptsPerTurn {
		if r.paused || r.listener.fd < 0 || !r.acceptOne() {
			return
		}
	}
}

// acceptOne reports whether there may be another.
func (r *Reactor) acceptOne() bool {
	fd, err := acceptFD(r.listener.fd)
	switch err {
	case nil:
		r.admit(fd)
		return true
	case unix.EAGAIN:
		return false
	case unix.EMFILE, unix.ENFILE:
		return r.acceptOnReserve()
	case unix.EINTR, unix.ECONNABORTED, unix.EPERM, unix.EPROTO, unix.ENOPROTOOPT, unix.EOPNOTSUPP,
		unix.ENETDOWN, unix.ENETUNREACH, unix.EHOSTDOWN, unix.EHOSTUNREACH, unix.ENONET:
		return true // that one connection failed before it was taken: accept(2) under "Error handling"
	default: // no memory, most likely
		r.pauseAccepting()
		return false
	}
}

// acceptFD does not block, as the listener does not; the peer's address is not wanted.
func acceptFD(listener int) (int, error) {
	fd, _, errno := unix.RawSyscall6(unix.SYS_ACCEPT4, uintptr(listener), 0, 0, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

func (r *Reactor) admit(fd int) {
	if limit := r.config.MaxConnections; limit > 0 && r.Stats().Open >= uint64(limit) {
		r.refuse(fd)
		return
	}
	r.emptiest().adopt(fd, r)
}

// adopt watches a connection that by accepted; it is called on by's thread.
func (r *Reactor) adopt(fd int, by *Reactor) {
	r.counters.accepted.Add(1)
	if r == by {
		r.watch(fd)
	} else if !r.Post(func() { r.watch(fd) }) {
		r.counters.closed.Add(1) // that loop has failed, and soon all will end
		unix.Close(fd)
	}
}

func (r *Reactor) watch(fd int) {
	c := r.place(fd)
	if err := r.poller.Add(fd, epoll.In|epoll.Out|epoll.PeerShut|epoll.Edge, c.token()); err != nil {
		r.drop(c) // max_user_watches or memory: this client has lost, the others go on
	}
}

// acceptOnReserve gives up the reserve to take a connection that there is no
// descriptor for, so that its client hears 503 now. Left in the backlog it
// would keep the level-triggered listener ready and the loop spinning.
func (r *Reactor) acceptOnReserve() bool {
	if r.reserve < 0 {
		r.pauseAccepting()
		return false
	}
	r.closeReserve()
	fd, err := acceptFD(r.listener.fd)
	if err == nil {
		r.refuse(fd)
	}
	r.openReserve()
	return err == nil
}

// refuse tries to say why; what does not fit the empty socket is not worth waiting for.
func (r *Reactor) refuse(fd int) {
	r.counters.refused.Add(1)
	busy := httpwire.Response{Status: 503, Header: httpwire.AppendHeaderInt(nil, "Retry-After", 1), Close: true}
	_, _ = epoll.Send(fd, busy.Append(nil, httpwire.Reply{Minor: 1}, r.dateHeader()))
	unix.Close(fd)
}

func (r *Reactor) openReserve() {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil { // another thread was quicker; the next pause tries again
		fd = -1
	}
	r.reserve = fd
}

func (r *Reactor) closeReserve() {
	if r.reserve >= 0 {
		unix.Close(r.reserve)
	}
	r.reserve = -1
}

// pauseAccepting leaves connections in the backlog for a moment.
func (r *Reactor) pauseAccepting() {
	if r.paused {
		return
	}
	if err := r.poller.Remove(r.listener.fd); err != nil {
		return
	}
	r.paused = true
	r.AfterFunc(acceptPause, r.resumeAccepting)
}

func (r *Reactor) resumeAccepting() {
	r.paused = false
	if r.listener.fd < 0 {
		return
	}
	if r.reserve < 0 {
		r.openReserve()
	}
	if r.poller.Add(r.listener.fd, epoll.In, listenToken) != nil {
		r.paused = true
		r.AfterFunc(acceptPause, r.resumeAccepting)
	}
}
