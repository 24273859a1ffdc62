package client

import (
	"io"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
	"edgebench/loadgen/transport/slots"
)

// A state says what a connection is waiting for.
type state uint8

const (
	idle state = iota // for a request; in the list of idle ones
	busy              // for the response to one; in the list of deadlines
)

// A conn is one established connection, or a free slot for one.
type conn struct {
	slots.Slot[conn]
	wire   *wire
	stream io.ReadWriteCloser
	state  state
	rested bool // the request was sent on a connection that had been idle

	written uint64 // bytes handed to the kernel before the request in flight
	rest    []byte // of the request in flight, what is still to be written
	copied  []byte // holds rest where the source may overwrite it

	sample   rundir.Sample // of the request in flight
	response response.Response
}

func slotOf(c *conn) *slots.Slot[conn] { return &c.Slot }

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
