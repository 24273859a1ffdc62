package client

import (
	"context"
	"fmt"
	"sync"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/response"
	"edgebench/loadgen/transport/slots"
	"edgebench/target/epoll"
)

const (
	eventBatch = 512
	readSize   = 64 << 10
)

// A Transport is one shard's event loop. See transport.Transport.
type Transport struct {
	target   *Target
	clock    *transport.Clock
	observer transport.Observer
	limit    int // connections at once

	poller *epoll.Poller
	events []epoll.Event
	buffer []byte
	parser *response.Parser
	source transport.Source

	pool      slots.Pool[conn]
	idle      slots.List[conn]      // the last is taken first, so that a small load keeps few connections busy
	deadlines slots.Deadlines[conn] // of busy ones
	openings  transport.Openings
	waiting   transport.Queue
	conns     int // idle and busy
	busy      int
	opening   int // connects under way
	owed      int // connections the peer closed that no connect has replaced yet

	dial    func() // opens one connection, in a goroutine
	giveUp  context.CancelFunc
	dialing sync.WaitGroup
	arrived arrivals

	stats   transport.Stats
	failure error // of the last connect that failed
}

func newTransport(t *Target, o transport.Options) (*Transport, error) {
	if o.Connections < 1 || o.Warm < 0 || o.Warm > o.Connections {
		return nil, fmt.Errorf("transport: %d connections, %d of them warm: want at least 1, and no more warm than that", o.Connections, o.Warm)
	}
	poller, err := epoll.Open(eventBatch)
	if err != nil {
		return nil, err
	}
	tr := &Transport{
		target: t, clock: o.Clock, observer: o.Observer, limit: o.Connections,
		poller: poller,
		events: make([]epoll.Event, eventBatch),
		buffer: make([]byte, readSize),
		parser: response.NewParser(response.Config{
			HeaderLimit: t.config.HeaderLimit, BodyLimit: t.config.BodyLimit, ColdHeader: t.config.ColdHeader,
		}),
		source: t.config.Sources(),
		pool:   slots.NewPool(slotOf),
	}
	// Connects outlast the context of Open, and end with the transport.
	var ctx context.Context
	ctx, tr.giveUp = context.WithCancel(context.Background())
	tr.dial = func() {
		began := time.Now()
		tr.dialing.Go(func() {
			l, fault := t.dialer.open(ctx, began)
			tr.arrived.add(attempt{l, fault})
			_ = poller.Wake() // the poller outlives this goroutine
		})
	}
	return tr, nil
}

// Send takes an idle connection, else waits for one: Wait looks first whether one
// has become free, and begins a connect when none has.
func (t *Transport) Send(ticket transport.Ticket) rundir.DropReason {
	for c := t.idle.Last(); c != nil; c = t.idle.Last() {
		t.idle.Remove(&c.Slot)
		if t.begin(c, transport.Waiting{Ticket: ticket, Since: transport.NoConnect}, true) {
			return rundir.DropNone
		}
	}
	if t.busy+t.waiting.Len() >= t.limit {
		return rundir.DropMaxInFlight
	}
	t.stats.Waited++
	t.waiting.Push(ticket)
	return rundir.DropNone
}

// begin writes the request of a ticket on a connection that is in no list and,
// when it rested, was idle. It reports false, and the connection is gone, when
// the peer had closed it and not a byte was written: the request may then go
// elsewhere.
func (t *Transport) begin(c *conn, w transport.Waiting, rested bool) bool {
	ticket := w.Ticket
	request := t.source.Request(ticket)
	now := t.clock.Now() // before the write: sent is when the first byte is handed over
	c.rest = request.Bytes
	c.written = c.wire.sent
	if err := c.push(); err != nil && c.wire.sent == c.written {
		if rested {
			t.lost(c)
		} else {
			t.discard(c)
		}
		return false
	}
	if len(c.rest) > 0 && !request.Lasting {
		c.copied = append(c.copied[:0], c.rest...)
		c.rest = c.copied
	}
	c.sample = rundir.Sample{Index: ticket.Index, Phase: ticket.Phase, Function: ticket.Function, Scheduled: ticket.Scheduled, Sent: now}
	if w.Since != transport.NoConnect {
		c.sample.ConnectWaitNS = now - w.Since
	}
	c.response.Expect(request.Expect)
	c.rested = rested
	c.state = busy
	t.deadlines.Add(&c.Slot, now, int64(request.Timeout))
	t.busy++
	t.observer.Sent(c.sample.Lag())
	return true
}

// Wait handles readiness, new connections and deadlines once, waiting at most
// until the instant.
func (t *Transport) Wait(until int64) error {
	if t.waiting.Len() > t.opening {
		// Responses that are in already free connections.
		if err := t.poll(0); err != nil {
			return err
		}
		until = min(until, t.open())
	}
	if c, deadline := t.deadlines.Earliest(); c != nil {
		until = min(until, deadline)
	}
	return t.poll(until - t.clock.Now())
}

// poll handles what is ready, after waiting for it at most so many nanoseconds.
func (t *Transport) poll(wait int64) error {
	n, err := t.poller.Wait(t.events, time.Duration(max(wait, 0)))
	if err != nil {
		return fmt.Errorf("transport: %w", err)
	}
	for _, ev := range t.events[:n] {
		if c := t.pool.Find(ev.Token); c != nil { // else closed by an event before this one
			t.ready(c, ev.Events)
		}
	}
	for _, a := range t.arrived.take() {
		t.opening--
		if a.fault != nil {
			t.failed(a.fault)
		} else {
			t.opened(a.link)
		}
	}
	t.expire()
	return nil
}

// expire ends what is past its deadline.
func (t *Transport) expire() {
	c, deadline := t.deadlines.Earliest()
	if c == nil {
		return
	}
	for now := t.clock.Now(); c != nil && deadline <= now; c, deadline = t.deadlines.Earliest() {
		t.finish(c, rundir.ErrTimeout, deadline, false)
	}
}

// Wake ends a Wait.
func (t *Transport) Wake() error { return t.poller.Wake() }

// Close closes all connections and tells what was still in flight.
func (t *Transport) Close() (transport.Stats, error) {
	t.giveUp()
	t.dialing.Wait()
	for _, a := range t.arrived.take() {
		if a.fault == nil {
			a.link.stream.Close()
		}
	}
	for t.waiting.Len() > 0 {
		t.drop(t.waiting.Pop(), rundir.DropNoConnection)
	}
	t.pool.Taken(func(c *conn) {
		if c.state == busy {
			c.sample.Outcome = rundir.OpenAtEnd
			c.response.Fill(&c.sample)
			t.observer.Done(&c.sample)
		}
		c.stream.Close()
		t.give(c)
	})
	t.idle, t.deadlines, t.conns, t.busy, t.opening = slots.List[conn]{}, slots.Deadlines[conn]{}, 0, 0, 0
	return t.stats, t.poller.Close()
}
