package epoll

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/target/epoll"
)

// connect begins to open a connection. A drop reason says that this machine
// has no room for one; an error that the network refused at once.
func (t *Transport) connect(now int64) (*conn, rundir.DropReason, error) {
	fd, err := unix.Socket(t.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return nil, dropOf(err), os.NewSyscallError("socket", err)
	}
	// Nagle's algorithm would hold back the tail of a large request for the
	// peer's delayed acknowledgement, 40 ms.
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	err = unix.Connect(fd, t.peer)
	if err != nil && err != unix.EINPROGRESS && err != unix.EINTR {
		unix.Close(fd)
		if err == unix.EADDRNOTAVAIL {
			return nil, rundir.DropLocalPortExhausted, err
		}
		t.stats.Failed++
		t.failure = os.NewSyscallError("connect", err)
		return nil, rundir.DropNone, t.failure
	}
	c := t.pool.Take()
	c.fd, c.written, c.rest, c.rested = fd, 0, nil, false
	c.response.Forget()
	// All that will ever be watched for, once: edges need no changes later.
	if err := t.poller.Add(fd, epoll.In|epoll.Out|epoll.PeerShut|epoll.Edge, c.Token()); err != nil {
		unix.Close(fd)
		t.pool.Give(&c.Slot)
		return nil, rundir.DropFDExhausted, err
	}
	c.state, c.began = opening, now
	t.deadlines.Add(&c.Slot, now, int64(t.target.config.ConnectTimeout))
	t.conns++
	t.opening++
	return c, rundir.DropNone, nil
}

// openTogether bounds the connects begun before the shard looks at its next send.
const openTogether = 32

// open begins connects for waiting requests that have none. It returns when it
// is to be called again: now when there is more to do, never when there is not.
func (t *Transport) open() (again int64) {
	now := t.clock.Now()
	for range openTogether {
		if t.waiting.Len() <= t.opening || t.conns >= t.limit {
			return math.MaxInt64
		}
		if !t.openings.Take(now) {
			return t.openings.Next()
		}
		c, drop, err := t.connect(now)
		switch {
		case drop != rundir.DropNone:
			t.drop(t.waiting.Pop(), drop)
		case c == nil:
			t.refuse(t.waiting.Pop(), err)
		default:
			t.waiting.Begun(t.opening, now)
		}
	}
	return now
}

// dropOf is why this machine could not make a socket.
func dropOf(err error) rundir.DropReason {
	if err == unix.EMFILE || err == unix.ENFILE {
		return rundir.DropFDExhausted
	}
	return rundir.DropNoConnection
}

// opened is called when a connect ended, well or not.
func (t *Transport) opened(c *conn, events uint32) {
	code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	if err != nil {
		t.failed(c, err)
		return
	}
	t.deadlines.Remove(&c.Slot)
	t.opening--
	t.stats.Connects++
	t.stats.ConnectTime.Add(t.clock.Now() - c.began)
	if t.owed > 0 {
		t.owed--
		t.stats.Reconnects++
	}
	token := c.Token()
	t.release(c)
	// A peer that speaks first has its bytes in this event and perhaps in no other.
	if events&epoll.In != 0 && t.pool.Find(token) != nil {
		t.ready(c, events)
	}
}

// release gives a connection without a request, in no list, to whoever waits.
func (t *Transport) release(c *conn) {
	if t.waiting.Len() == 0 {
		c.state = idle
		t.idle.Push(&c.Slot)
		return
	}
	if w := t.waiting.Pop(); !t.begin(c, w, false) {
		t.replace(w)
	}
}

// replace keeps a ticket whose connection was gone before a byte was written
// waiting for another, as long as its time to connect has not run out.
func (t *Transport) replace(w transport.Waiting) {
	if w.Since != transport.NoConnect && t.clock.Now()-w.Since >= int64(t.target.config.ConnectTimeout) {
		t.refuse(w, unix.ETIMEDOUT)
		return
	}
	t.waiting.Return(w)
}

// failed ends a connect, and with it the ticket that waited longest.
func (t *Transport) failed(c *conn, err error) {
	t.deadlines.Remove(&c.Slot)
	t.discard(c)
	t.opening--
	t.stats.Failed++
	t.failure = os.NewSyscallError("connect", err)
	if t.waiting.Len() > 0 {
		t.refuse(t.waiting.Pop(), err)
	}
}

// refuse ends a ticket that got no connection. It counts as sent when its connect
// began.
func (t *Transport) refuse(w transport.Waiting, err error) {
	now := t.clock.Now()
	s := rundir.Sample{
		Index: w.Ticket.Index, Phase: w.Ticket.Phase, Function: w.Ticket.Function, Scheduled: w.Ticket.Scheduled,
		Sent: w.Since, Done: now, Outcome: rundir.ErrConnect,
	}
	if w.Since == transport.NoConnect {
		s.Sent = now
	}
	if errors.Is(err, unix.ECONNREFUSED) {
		s.Outcome = rundir.ErrRefused
	}
	t.observer.Sent(s.Lag())
	t.observer.Done(&s)
}

// drop ends a ticket for which nothing left this machine.
func (t *Transport) drop(w transport.Waiting, reason rundir.DropReason) {
	t.observer.Done(&rundir.Sample{
		Index: w.Ticket.Index, Phase: w.Ticket.Phase, Function: w.Ticket.Function, Scheduled: w.Ticket.Scheduled,
		Outcome: rundir.Dropped, Drop: reason,
	})
}

// warmTogether is how many connections are opened at once: below the backlog
// of a server that kept the old default of 128, where an overflow costs a
// second of retransmission.
const warmTogether = 64

// warm opens n connections before the run.
func (t *Transport) warm(ctx context.Context, n int) error {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = t.Wake()
	})
	defer func() {
		if !stop() {
			<-woken // the poller may be closed next, and its descriptor another's
		}
	}()
	begun := 0
	ended := func() int { return int(t.stats.Connects + t.stats.Failed) }
	for room := true; ended() < n && (room || ended() < begun); {
		for room && begun < n && begun-ended() < warmTogether {
			if _, drop, err := t.connect(t.clock.Now()); drop != rundir.DropNone {
				room, t.failure = false, err
				break
			}
			begun++
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if ended() == begun {
			continue // all were refused at once: there is nothing to wait for
		}
		if err := t.Wait(t.clock.Now() + int64(t.target.config.ConnectTimeout)); err != nil {
			return err
		}
	}
	if n > 0 && t.stats.Connects == 0 {
		return fmt.Errorf("%w: %s: %w", transport.ErrUnreachable, t.target.address, t.failure)
	}
	return nil
}
