package client

import (
	"context"
	"fmt"
	"math"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/target/epoll"
)

// connect begins to open a connection.
func (t *Transport) connect() {
	t.opening++
	t.dial()
}

// openTogether bounds the connects begun before the shard looks at its next send.
const openTogether = 32

// open begins connects for waiting requests that have none. It returns when it
// is to be called again: now when there is more to do, never when there is not.
func (t *Transport) open() (again int64) {
	now := t.clock.Now()
	for range openTogether {
		if t.waiting.Len() <= t.opening || t.conns+t.opening >= t.limit {
			return math.MaxInt64
		}
		if !t.openings.Take(now) {
			return t.openings.Next()
		}
		t.connect()
		t.waiting.Begun(t.opening, now)
	}
	return now
}

// opened is called when a connect ended well.
func (t *Transport) opened(l *link) {
	c := t.pool.Take()
	c.rest, c.rested = nil, false
	c.response.Forget()
	// All that will ever be watched for, once: edges need no changes later.
	if err := t.poller.Add(l.wire.fd, epoll.In|epoll.Out|epoll.PeerShut|epoll.Edge, c.Token()); err != nil {
		l.stream.Close()
		t.give(c)
		t.failed(&dialError{drop: rundir.DropFDExhausted, err: err})
		return
	}
	c.wire, c.stream = l.wire, l.stream
	t.conns++
	t.stats.Connects++
	t.stats.ConnectTime.Add(int64(l.total))
	if l.resolve > 0 {
		t.stats.ResolveTime.Add(int64(l.resolve))
	}
	if l.shake > 0 {
		t.stats.HandshakeTime.Add(int64(l.shake))
	}
	if t.owed > 0 {
		t.owed--
		t.stats.Reconnects++
	}
	token := c.Token()
	t.release(c)
	// What came with the end of the handshake is in TLS's own buffer, and no
	// event will tell of it.
	if t.pool.Find(token) != nil {
		t.read(c)
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
		t.refuse(w, rundir.ErrConnect)
		return
	}
	t.waiting.Return(w)
}

// failed ends a connect, and with it the ticket that waited longest.
func (t *Transport) failed(fault *dialError) {
	t.failure = fault
	if fault.drop == rundir.DropNone {
		t.stats.Failed++
	}
	if t.waiting.Len() == 0 {
		return
	}
	w := t.waiting.Pop()
	if fault.drop != rundir.DropNone {
		t.drop(w, fault.drop)
		return
	}
	t.refuse(w, fault.outcome)
}

// refuse ends a ticket that got no connection. It counts as sent when its connect
// began.
func (t *Transport) refuse(w transport.Waiting, outcome rundir.Outcome) {
	now := t.clock.Now()
	s := rundir.Sample{
		Index: w.Ticket.Index, Phase: w.Ticket.Phase, Function: w.Ticket.Function, Scheduled: w.Ticket.Scheduled,
		Sent: w.Since, Done: now, Outcome: outcome,
	}
	if w.Since == transport.NoConnect {
		s.Sent = now
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

// warm opens n connections before the run. It stops early when none of the
// first ones came to be, and where this machine has no room for more.
func (t *Transport) warm(ctx context.Context, n int) error {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = t.Wake()
	})
	defer func() {
		if !stop() {
			<-woken // a poller that is closed may be another's descriptor
		}
	}()
	short := func() bool {
		fault, ok := t.failure.(*dialError)
		return ok && (fault.drop != rundir.DropNone || t.stats.Connects == 0 && t.stats.Failed >= warmTogether)
	}
	for begun := 0; begun < n || t.opening > 0; {
		for begun < n && t.opening < warmTogether {
			if short() {
				n = begun
				break
			}
			t.connect()
			begun++
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.Wait(t.clock.Now() + int64(t.target.config.ConnectTimeout)); err != nil {
			return err
		}
	}
	if n > 0 && t.stats.Connects == 0 {
		return fmt.Errorf("%w: %s: %w", transport.ErrUnreachable, t.target, t.failure)
	}
	return nil
}
