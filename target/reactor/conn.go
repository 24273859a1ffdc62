package reactor

import (
	"golang.org/x/sys/unix"

	"edgebench/target/httpwire"
)

// A conn is a connection, and after it closed, the place for another.
type conn struct {
	fd               int
	slot, generation uint32
	next             uint32 // sequence of the next request

	open     bool
	readable bool // no read since the last edge came to the end
	writable bool
	shut     bool // the client has ended its sending, though not all may be read
	eof      bool // all was read
	told     bool // the handler was told of shut
	last     bool // the last request was taken: no more is parsed
	closing  bool // the last response is in out
	linger   bool // the client may still be sending when the last response is out
	ending   bool // out is flushed and the sending side shut: read and discard
	again    bool // listed in Reactor.again
	expects  bool // the client waits for 100 Continue

	parser httpwire.Parser
	req    httpwire.Request
	head   []byte // of a request whose body is arriving
	body   []byte

	in    []byte // read and not parsed; points into keep or, during a pump, into Reactor.shared
	keep  []byte // the buffer that in is in, when it had to be kept
	out   []byte // responses in order
	sent  int    // bytes of out the kernel has
	held  int    // bytes of responses in the queue
	queue queue

	reading, writing deadline
}

func (c *conn) token() uint64 { return uint64(c.generation)<<32 | uint64(c.slot) }

func (c *conn) unsent() int { return len(c.out) - c.sent }

// room reports whether another request may be taken: a client that sends and
// does not read must not fill the memory with its responses.
func (r *Reactor) room(c *conn) bool {
	return !c.last && c.queue.len() < r.config.Pipeline && c.unsent()+c.held < r.config.HighWater
}

// place gives an accepted descriptor a conn.
func (r *Reactor) place(fd int) *conn {
	var c *conn
	if n := len(r.free); n > 0 {
		c = r.conns[r.free[n-1]]
		r.free = r.free[:n-1]
	} else {
		c = &conn{slot: uint32(len(r.conns))}
		c.reading.conn, c.writing.conn = c, c
		r.conns = append(r.conns, c)
	}
	c.generation = (c.generation + 1) &^ (watchBit >> 32)
	c.fd, c.open, c.writable = fd, true, true
	c.parser.Reset(r.config.Limits)
	return c
}

// drop closes the connection at once, whatever is owed to it.
func (r *Reactor) drop(c *conn) {
	if c.queue.len() > 0 || c.unsent() > 0 || !c.parser.Between() && !c.ending {
		r.counters.broken.Add(1)
	}
	c.open = false // before the handler hears of it
	r.abandon(c)
	unix.Close(c.fd) // which also ends its watch
	r.counters.closed.Add(1)
	c.reading.clear()
	c.writing.clear()
	r.buffers.give(c.keep)
	r.buffers.give(c.out)
	if cap(c.body) > keepBuffer {
		c.body = nil
	}
	*c = conn{
		slot: c.slot, generation: c.generation, next: c.next, again: c.again,
		head: c.head[:0], body: c.body[:0], queue: queue{ring: c.queue.ring},
		reading: deadline{conn: c}, writing: deadline{conn: c},
	}
	r.free = append(r.free, c.slot)
}

// abandon empties the queue; no answer to what was in it will be sent.
func (r *Reactor) abandon(c *conn) {
	first := c.next - uint32(c.queue.len())
	for c.queue.len() > 0 {
		if p := c.queue.pop(); p.ready {
			r.buffers.give(p.out)
		} else if r.canceler != nil {
			r.canceler.Cancel(Ticket{r.loopID, c.slot, c.generation, first}, true)
		}
		first++
	}
	c.held = 0
}
