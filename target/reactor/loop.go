package reactor

import (
	"time"

	"edgebench/target/epoll"
)

const (
	eventsPerWait = 256
	listenToken   = 1<<64 - 2
	keepBlock     = 1 << 20 // bytes of an inbox block that are kept for the next
)

// turns go on until the drain is over, the followers' too. A turn looks for events without blocking
// first: under load there are some, and a call that cannot block costs less.
func (r *Reactor) turns() error {
	events := make([]epoll.Event, eventsPerWait)
	for !r.draining || (!r.cut && (r.open() > 0 || r.following > 0)) {
		n, err := r.wait(events)
		if err != nil {
			return err
		}
		r.now = r.Now()
		for _, ev := range events[:n] {
			r.event(ev)
		}
		if r.inbox.waiting.Load() {
			r.empty()
		}
		r.runTimers()
		r.expire()
		r.pumpAgain()
	}
	return nil
}

func (r *Reactor) wait(events []epoll.Event) (int, error) {
	r.counters.waits.Add(1)
	n, err := r.poller.Wait(events, 0)
	if n > 0 || err != nil {
		return n, err
	}
	timeout := r.timeout()
	if timeout == 0 || !r.inbox.sleep() {
		return 0, nil
	}
	n, err = r.poller.Wait(events, timeout)
	r.inbox.awake()
	return n, err
}

// timeout is how long nothing is due.
func (r *Reactor) timeout() time.Duration {
	if len(r.again) > 0 {
		return 0
	}
	at := time.Duration(-1)
	soonest := func(due time.Duration) {
		if at < 0 || due < at {
			at = due
		}
	}
	if len(r.timers) > 0 {
		soonest(r.timers[0].at)
	}
	if r.reading.first != nil {
		soonest(r.reading.first.at)
	}
	if r.writing.first != nil {
		soonest(r.writing.first.at)
	}
	if at < 0 {
		return epoll.Forever
	}
	return max(at-r.Now(), 0)
}

func (r *Reactor) event(ev epoll.Event) {
	switch {
	case ev.Token == listenToken:
		r.accept()
		return
	case ev.Token&watchBit != 0:
		r.watched(ev.Token)
		return
	}
	c := r.conns[uint32(ev.Token)]
	if !c.open || c.generation != uint32(ev.Token>>32) {
		return // closed earlier in this turn
	}
	if ev.Events&(epoll.Hangup|epoll.Failed) != 0 {
		r.drop(c) // nobody reads there any more
		return
	}
	c.readable = c.readable || ev.Events&(epoll.In|epoll.PeerShut) != 0
	c.writable = c.writable || ev.Events&epoll.Out != 0
	c.shut = c.shut || ev.Events&epoll.PeerShut != 0
	r.pump(c)
}

// empty takes what other goroutines have handed in. Connections are pumped
// after all of it, so that several answers to one leave in one write.
func (r *Reactor) empty() {
	full := r.inbox.take(r.spare, false)
	rest := full.block
	for i := range full.answers {
		a := &full.answers[i]
		a.response.Header, rest = rest[:a.header], rest[a.header:]
		if a.response.Body == nil {
			a.response.Body, rest = rest[:a.body], rest[a.body:]
		}
		r.answer(a.ticket, &a.response)
	}
	for _, call := range full.calls {
		call()
	}
	if cap(full.block) > keepBlock {
		full.block = nil
	}
	r.spare = full
}

// expire ends the time of clients that were too slow.
func (r *Reactor) expire() {
	for c := r.reading.expired(r.now); c != nil; c = r.reading.expired(r.now) {
		r.tooSlow(c)
	}
	for c := r.writing.expired(r.now); c != nil; c = r.writing.expired(r.now) {
		r.counters.timedOut.Add(1)
		r.drop(c)
	}
}

// pumpLater has the connection pumped before the loop waits.
func (r *Reactor) pumpLater(c *conn) {
	if !c.again {
		c.again = true
		r.again = append(r.again, c)
	}
}

// pumpAgain pumps what is listed now; what gets listed meanwhile has its next
// turn after a look at the other connections.
func (r *Reactor) pumpAgain() {
	r.again, r.turn = r.turn[:0], r.again
	for i, c := range r.turn {
		r.turn[i] = nil
		c.again = false
		if c.open {
			r.pump(c)
		}
	}
}
