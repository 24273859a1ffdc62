package epoll

import (
	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/target/epoll"
)

// hung is the readiness of a connection that will bring nothing more than it
// has brought already.
const hung = epoll.PeerShut | epoll.Hangup | epoll.Failed

// ready moves what can be moved on an idle or busy connection.
func (t *Transport) ready(c *conn, events uint32) {
	if events&epoll.Out != 0 && len(c.rest) > 0 {
		// A failed write leaves the rest, so the connection is not reused; what
		// became of the request is for the read to tell, since a server may
		// answer and close before it has read everything.
		if n, err := epoll.Send(c.fd, c.rest); err == nil {
			c.rest = c.rest[n:]
		}
	}
	if events&(epoll.In|hung) == 0 {
		return
	}
	token := c.Token()
	for {
		n, err := epoll.Receive(c.fd, t.buffer)
		switch {
		case err == unix.EAGAIN:
			return
		case err != nil || n == 0:
			t.ended(c, err)
			return
		}
		t.received(c, t.buffer[:n], events&hung != 0)
		// The slot may be closed by now, or even hold another connection.
		if t.pool.Find(token) == nil {
			return
		}
		// A short read has emptied the socket, and whatever comes after it is
		// another event; only an end already announced is not told again.
		if n < len(t.buffer) && events&hung == 0 {
			return
		}
	}
}

// received takes bytes from the wire.
func (t *Transport) received(c *conn, b []byte, ending bool) {
	if c.state == idle {
		t.stats.Stray++
		t.idle.Remove(&c.Slot)
		t.discard(c)
		return
	}
	r := &c.response
	rest := r.Feed(b, t.parser)
	if len(rest) > 0 && r.Whole() {
		t.stats.Stray++
	}
	switch {
	case r.Whole():
		reuse := r.Reuse() && len(rest) == 0 && len(c.rest) == 0
		if reuse && ending { // it may carry more, and the peer closed it all the same
			t.stats.IdleClosed++
			t.owed++
			reuse = false
		}
		t.finish(c, r.Outcome(), t.clock.Now(), reuse)
	case r.Malformed():
		t.finish(c, r.Outcome(), t.clock.Now(), false)
	}
}

// ended is called when the peer closed (no error) or the connection broke.
func (t *Transport) ended(c *conn, err error) {
	if c.state == idle {
		t.idle.Remove(&c.Slot)
		t.lost(c)
		return
	}
	outcome := rundir.ErrReset
	switch r := &c.response; {
	case err == nil && r.End():
		outcome = r.Outcome()
	case r.Begun():
		outcome = rundir.ErrTruncatedBody
	case c.rested && (err == nil || err == unix.EPIPE) && c.unseen():
		outcome = rundir.ErrStale
		t.stats.IdleClosed++
		t.owed++
	}
	t.finish(c, outcome, t.clock.Now(), false)
}

// lost drops a connection the peer closed while it was idle.
func (t *Transport) lost(c *conn) {
	t.stats.IdleClosed++
	t.owed++
	t.discard(c)
}

// finish tells the fate of the request in flight and frees its connection, or
// closes it.
func (t *Transport) finish(c *conn, outcome rundir.Outcome, done int64, reuse bool) {
	t.deadlines.Remove(&c.Slot)
	t.busy--
	if deadline := c.Deadline(); done > deadline { // it came, but after we should have given up
		outcome, done = rundir.ErrTimeout, deadline
	}
	s, r := &c.sample, &c.response
	s.Outcome, s.Done = outcome, done
	r.Fill(s)
	t.observer.Done(s)
	if !reuse {
		t.discard(c)
		return
	}
	c.written += uint64(c.length)
	r.Reset()
	t.release(c)
}

// discard closes a connection that is in no list.
func (t *Transport) discard(c *conn) {
	unix.Close(c.fd) // also ends the poller's interest
	t.conns--
	t.pool.Give(&c.Slot)
}
