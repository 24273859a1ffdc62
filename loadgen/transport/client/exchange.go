package client

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/target/epoll"
)

// hung is the readiness of a connection that will bring nothing more than it
// has brought already.
const hung = epoll.PeerShut | epoll.Hangup | epoll.Failed

// ready moves what can be moved on a connection.
func (t *Transport) ready(c *conn, events uint32) {
	if events&epoll.Out != 0 && c.unsent() {
		// What became of the request after a failed write is for the read to
		// tell: a server may answer and close before it has read everything.
		_ = c.push()
	}
	if events&(epoll.In|hung) == 0 {
		return
	}
	c.wire.dry, c.wire.hung = false, events&hung != 0
	t.read(c)
}

// read takes what there is.
func (t *Transport) read(c *conn) {
	for {
		n, err := c.stream.Read(t.buffer)
		if n > 0 && !t.received(c, t.buffer[:n], err) {
			return
		}
		if err == unix.EAGAIN {
			return
		}
		if err != nil {
			t.broken(c, err)
			return
		}
	}
}

// received takes bytes, and what was read with or after them: an end, or nil.
// It reports whether the connection still waits for more.
func (t *Transport) received(c *conn, b []byte, err error) bool {
	if c.state == idle {
		t.stats.Stray++
		t.idle.Remove(&c.Slot)
		t.discard(c)
		return false
	}
	r := &c.response
	rest := r.Feed(b, t.parser)
	switch {
	case r.Whole():
		done := t.clock.Now()
		if len(rest) > 0 {
			t.stats.Stray++
		}
		reuse := r.Reuse() && len(rest) == 0 && !c.unsent() && !t.target.config.OneRequest && t.quiet(c, err)
		t.finish(c, r.Outcome(), done, reuse)
		return false
	case r.Malformed():
		t.finish(c, r.Outcome(), t.clock.Now(), false)
		return false
	}
	return true
}

// quiet reports whether nothing came after a whole response, up to now. TLS
// may hold bytes that no event will tell of.
func (t *Transport) quiet(c *conn, err error) bool {
	n := 0
	if err == nil {
		n, err = c.stream.Read(t.buffer)
	}
	switch {
	case n > 0:
		t.stats.Stray++
	case err == unix.EAGAIN:
		return true
	default: // it may carry more, and the peer closed it all the same
		t.stats.IdleClosed++
		t.owed++
	}
	return false
}

// broken is called when the peer closed or the connection broke.
func (t *Transport) broken(c *conn, err error) {
	if c.state == idle {
		t.idle.Remove(&c.Slot)
		t.lost(c)
		return
	}
	errno := unix.Errno(0)
	orderly, inRecord := err == io.EOF, err == io.ErrUnexpectedEOF
	outcome := rundir.ErrReset
	switch r := &c.response; {
	case orderly && r.End():
		outcome = r.Outcome()
	case !orderly && !inRecord && !errors.As(err, &errno): // an alert, or a record that is none
		outcome = rundir.ErrTLS
	case r.Begun() || inRecord:
		outcome = rundir.ErrTruncatedBody
	case c.rested && c.unseen(errno):
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
	c.sample.Outcome, c.sample.Done = outcome, done
	c.response.Fill(&c.sample)
	t.observer.Done(&c.sample)
	if !reuse {
		t.discard(c)
		return
	}
	c.response.Reset()
	t.release(c)
}

// discard closes a connection that is in no list. Over TLS the peer is told.
func (t *Transport) discard(c *conn) {
	c.stream.Close() // also ends the poller's interest
	t.conns--
	t.give(c)
}

// give frees the slot of a connection that is closed.
func (t *Transport) give(c *conn) {
	c.wire, c.stream = nil, nil
	t.pool.Give(&c.Slot)
}
