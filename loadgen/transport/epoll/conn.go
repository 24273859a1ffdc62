package epoll

import (
	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
)

// A state says what a connection is waiting for. An opening or busy connection
// is in the list of deadlines, an idle one in the list of idle ones.
type state uint8

const (
	closed  state = iota // the slot is free
	opening              // for the end of the handshake
	idle                 // for a request
	busy                 // for the response to one
)

// A conn is one connection, or a free slot for one. Slots are reused; the
// generation in the poller's token tells an event for an earlier connection.
type conn struct {
	fd         int
	slot       uint32
	generation uint32
	state      state
	rested     bool // the request was sent on a connection that had been idle

	prev, next *conn // in the list of its state
	deadline   int64 // while opening or busy
	began      int64 // when the connect began

	written uint64 // bytes handed to the kernel before the request in flight
	rest    []byte // of the request in flight, what the socket had no room for

	sample   rundir.Sample // of the request in flight
	response response.Response
}

func (c *conn) token() uint64 { return uint64(c.generation)<<32 | uint64(c.slot) }

// unseen reports, once the peer's orderly end was read, whether it acknowledged
// not one byte of the request in flight. Such a request met a connection the
// peer had already given up: the kernel there answers with a reset and no
// program sees the bytes. A peer that read the request and then closed has
// acknowledged it in its last segment. (A reset alone tells neither: its
// acknowledgement is not counted.)
func (c *conn) unseen() bool {
	info, err := unix.GetsockoptTCPInfo(c.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	// The count begins with the handshake's SYN.
	return err != nil || info.Bytes_acked <= c.written+1
}

// A list is a doubly linked list through the connections themselves.
type list struct{ first, last *conn }

func (l *list) push(c *conn) {
	c.prev, c.next = l.last, nil
	if l.last != nil {
		l.last.next = c
	} else {
		l.first = c
	}
	l.last = c
}

func (l *list) remove(c *conn) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		l.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	} else {
		l.last = c.prev
	}
	c.prev, c.next = nil, nil
}

// slabSize is how many slots are allocated together.
const slabSize = 64

// A pool holds the slots.
type pool struct {
	slots []*conn
	free  []*conn
}

// take returns a free slot with a new generation.
func (p *pool) take() *conn {
	if len(p.free) == 0 {
		slab := make([]conn, slabSize)
		for i := range slab {
			c := &slab[len(slab)-1-i] // popped from the end, so lowest slots first
			c.slot = uint32(len(p.slots) + len(slab) - 1 - i)
			p.free = append(p.free, c)
		}
		for i := range slab {
			p.slots = append(p.slots, &slab[i])
		}
	}
	c := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	// Half the range keeps every token below the poller's own.
	c.generation = (c.generation + 1) & (1<<31 - 1)
	c.written, c.rest, c.rested = 0, nil, false
	c.response.Forget()
	return c
}

// find returns the connection of a token, nil when it is gone.
func (p *pool) find(token uint64) *conn {
	c := p.slots[uint32(token)]
	if c.state == closed || c.generation != uint32(token>>32) {
		return nil
	}
	return c
}
