package epoll

import (
	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
	"edgebench/loadgen/transport/slots"
)

// A state says what a connection is waiting for. An opening or busy connection
// is in the list of deadlines, an idle one in the list of idle ones.
type state uint8

const (
	opening state = iota // for the end of the handshake
	idle                 // for a request
	busy                 // for the response to one
)

// A conn is one connection, or a free slot for one.
type conn struct {
	slots.Slot[conn]
	fd     int
	state  state
	rested bool  // the request was sent on a connection that had been idle
	began  int64 // when the connect began

	written uint64 // bytes handed to the kernel before the request in flight
	length  int    // of the request in flight
	rest    []byte // of the request in flight, what the socket had no room for
	copied  []byte // holds rest where the source may overwrite it

	sample   rundir.Sample // of the request in flight
	response response.Response
}

func slotOf(c *conn) *slots.Slot[conn] { return &c.Slot }

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
