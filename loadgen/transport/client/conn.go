package client

import (
	"io"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
)

// A state says what a connection is waiting for.
type state uint8

const (
	closed state = iota // the slot is free
	idle                // for a request; in the list of idle ones
	busy                // for the response to one; in the list of deadlines
)

// A conn is one established connection, or a free slot for one. Slots are
// reused; the generation in the poller's token tells an event for an earlier
// connection.
type conn struct {
	wire       *wire
	stream     io.ReadWriteCloser
	slot       uint32
	generation uint32
	state      state
	rested     bool // the request was sent on a connection that had been idle

	prev, next *conn // in the list of its state
	deadline   int64 // while busy

	written uint64 // bytes handed to the kernel before the request in flight
	rest    []byte // of the request in flight, what is still to be written

	sample   rundir.Sample // of the request in flight
	response response.Response
}

func (c *conn) token() uint64 { return uint64(c.generation)<<32 | uint64(c.slot) }

// pieceSize is the most of a request that is encrypted ahead of the socket.
const pieceSize = 64 << 10

// push writes what the socket has room for. After an error the rest stays, so
// that the connection is not used again.
func (c *conn) push() error {
	c.wire.flush()
	for len(c.rest) > 0 && len(c.wire.pending) == 0 {
		piece := c.rest[:min(len(c.rest), pieceSize)]
		if _, err := c.stream.Write(piece); err != nil {
			return err
		}
		c.rest = c.rest[len(piece):]
	}
	return nil
}

// unsent reports whether a part of the request is still here.
func (c *conn) unsent() bool { return len(c.rest) > 0 || len(c.wire.pending) > 0 }

// unseen reports, once the connection ended with errno (0 for an orderly end)
// and without a byte of a response, whether the request met a connection the
// peer had already given up, so that no program saw it. Over TCP the kernel of
// such a peer answers with a reset and acknowledges nothing, while a peer that
// read the request has acknowledged it in its last segment; a reset alone
// tells neither, since its acknowledgement is not counted. A Unix socket tells
// by a reset that bytes were left unread.
func (c *conn) unseen(errno unix.Errno) bool {
	info, noTCP := unix.GetsockoptTCPInfo(c.wire.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if noTCP != nil {
		return errno != 0
	}
	// The count begins with the handshake's SYN.
	return (errno == 0 || errno == unix.EPIPE) && info.Bytes_acked <= c.written+1
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

// A pool holds the slots.
type pool struct {
	slots []*conn
	free  []*conn
}

// take returns a free slot with a new generation.
func (p *pool) take() *conn {
	var c *conn
	if n := len(p.free); n > 0 {
		c, p.free = p.free[n-1], p.free[:n-1]
	} else {
		c = &conn{slot: uint32(len(p.slots))}
		p.slots = append(p.slots, c)
	}
	// Half the range keeps every token below the poller's own.
	c.generation = (c.generation + 1) & (1<<31 - 1)
	c.written, c.rest, c.rested = 0, nil, false
	c.response.Forget()
	return c
}

// give frees a slot.
func (p *pool) give(c *conn) {
	c.state, c.wire, c.stream = closed, nil, nil
	p.free = append(p.free, c)
}

// find returns the connection of a token, nil when it is gone.
func (p *pool) find(token uint64) *conn {
	c := p.slots[uint32(token)]
	if c.state == closed || c.generation != uint32(token>>32) {
		return nil
	}
	return c
}
