package reactor

import (
	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
	"edgebench/target/httpwire"
)

const (
	readSize     = 64 << 10
	turnsPerPump = 4 // reads in a row before the other connections have their turn
)

// pump moves a connection as far as it will go. Parsing makes responses,
// flushing makes room for parsing, parsing makes room for reading: a single
// pass would stop where a later step has freed an earlier one.
func (r *Reactor) pump(c *conn) {
	if c.ending {
		r.discard(c)
		return
	}
	for range turnsPerPump {
		moved, hungry := r.parse(c)
		flushed, ok := r.flush(c)
		if !ok {
			r.drop(c)
			return
		}
		if hungry && c.readable && !c.eof && r.room(c) {
			if !r.read(c) {
				r.drop(c)
				return
			}
			moved = true
		}
		if !moved && !flushed {
			r.settle(c)
			return
		}
	}
	r.settleInput(c) // the shared buffer is the next connection's
	r.pumpLater(c)
}

// parse takes requests from the input while there is room for their responses.
// It is hungry when it could go on with more input: reading before that would
// heap up requests of a client that does not read.
func (r *Reactor) parse(c *conn) (moved, hungry bool) {
	for r.room(c) {
		n, ev := c.parser.Next(c.in, &c.req)
		c.in = c.in[n:]
		switch ev {
		case httpwire.More:
			return moved || n > 0, true
		case httpwire.Head:
			r.headDone(c)
		case httpwire.Body:
			c.expects = false
			c.body = append(c.body, c.parser.Data()...)
		case httpwire.End:
			r.serve(c)
		case httpwire.Bad:
			r.counters.faults.Add(1)
			r.fault(c, c.parser.Fault())
		}
		moved = true
	}
	return moved, false
}

// flush sends what it can and reports whether the connection still works.
func (r *Reactor) flush(c *conn) (moved, ok bool) {
	for c.writable && c.unsent() > 0 {
		n, err := epoll.Send(c.fd, c.out[c.sent:])
		if err == unix.EAGAIN {
			c.writable = false
			break
		}
		if err != nil {
			return moved, false
		}
		c.sent += n
		moved = true
	}
	if moved && c.unsent() == 0 {
		r.buffers.give(c.out)
		c.out, c.sent = nil, 0
	}
	if moved {
		c.writing.clear() // settle starts its time anew
	}
	return moved, true
}

// read reports whether the connection still works. A read that did not fill
// its buffer has emptied the socket, which saves the call that would say so;
// but an end of the stream that was announced has to be read.
func (r *Reactor) read(c *conn) bool {
	space := r.shared
	if len(c.in) > 0 {
		space = r.keepInput(c)
	} else {
		r.releaseInput(c) // so that a keep means that in is in it
	}
	n, err := epoll.Receive(c.fd, space)
	switch {
	case err == unix.EAGAIN:
		c.readable = false
		return true
	case err != nil:
		return false
	case n == 0:
		c.eof, c.shut, c.readable = true, true, false
		return true
	}
	c.readable = n == len(space) || c.shut
	if len(c.in) == 0 {
		c.in = space[:n]
	} else {
		c.in = c.in[:len(c.in)+n]
	}
	return true
}

// keepInput moves the rest of the input to a buffer of the connection's own and
// returns the space behind it.
func (r *Reactor) keepInput(c *conn) []byte {
	if cap(c.keep) == 0 {
		c.keep = r.buffers.take()
	}
	room := max(smallBuffer/2, len(c.in)) // doubling, so that a long rest is not copied for every piece
	if need := len(c.in) + room; cap(c.keep) < need {
		grown := make([]byte, 0, need)
		c.in = append(grown, c.in...)
		r.buffers.give(c.keep)
		c.keep = grown
	} else {
		c.in = append(c.keep[:0], c.in...) // may overlap: it only moves to the front
	}
	return c.in[len(c.in):cap(c.in)]
}

func (r *Reactor) releaseInput(c *conn) {
	r.buffers.give(c.keep)
	c.in, c.keep = nil, nil
}

// settle is called when nothing moves: it ends the connection if it is done,
// and else leaves it ready for the next event.
func (r *Reactor) settle(c *conn) {
	quiet := c.queue.len() == 0 && c.unsent() == 0
	switch {
	case c.closing && c.unsent() == 0:
		r.finish(c)
		return
	case c.eof && quiet: // what may be left is an unfinished request
		r.drop(c)
		return
	case r.draining && quiet && c.parser.Between() && len(c.in) == 0:
		r.drop(c)
		return
	}
	r.settleInput(c)
	if c.unsent() > 0 && !c.writing.running() {
		r.writing.set(&c.writing, r.now)
	}
	if c.shut && !c.told {
		r.tellShut(c)
	}
}

func (r *Reactor) settleInput(c *conn) {
	if len(c.in) == 0 {
		r.releaseInput(c)
	} else if cap(c.keep) == 0 {
		r.keepInput(c)
	}
	// A request that waits for room is not the client's delay.
	if begun := len(c.in) > 0 || !c.parser.Between(); !begun || c.eof || !r.room(c) {
		c.reading.clear()
	} else if !c.reading.running() {
		r.reading.set(&c.reading, r.now)
	}
}

// tellShut tells the handler that the client has ended its sending.
func (r *Reactor) tellShut(c *conn) {
	c.told = true
	if r.canceler == nil {
		return
	}
	first := c.next - uint32(c.queue.len())
	for i := range uint32(c.queue.len()) {
		if !c.queue.at(i).ready {
			r.canceler.Cancel(Ticket{r.loopID, c.slot, c.generation, first + i}, false)
		}
	}
}
