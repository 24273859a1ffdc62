// Package transport says what the engine asks of the wire: put one request
// there, at most once, without ever waiting, and tell what became of it. What
// a request is made of and where it goes is a transport's own configuration;
// when it is sent is the engine's business.
package transport

import (
	"errors"

	"edgebench/analysis/rundir"
)

// ErrUnreachable marks a target to which not one connection could be opened
// before the run.
var ErrUnreachable = errors.New("target unreachable")

// ErrConfig marks settings that no transport can work with, files they name
// included.
var ErrConfig = errors.New("transport settings")

// A Ticket is one scheduled request on its way to the wire.
type Ticket struct {
	Index     uint64
	Phase     int32
	Function  int32 // whose request it is
	Scheduled int64 // on the run's clock
}

// A Transport belongs to one shard: all its methods but Wake are called by one
// goroutine on one locked thread.
type Transport interface {
	// Send puts one request on the wire, or queues it behind a connect, and
	// never blocks. With a reason the request was not taken and nothing was
	// sent; with DropNone the Observer hears of its end exactly once.
	Send(Ticket) rundir.DropReason

	// Wait handles what arrives until the instant until on the run's clock,
	// and returns then, at a Wake, or earlier: the caller loops. An instant
	// in the past looks once without waiting.
	Wait(until int64) error

	// Wake ends the Wait in progress, or the next one. Safe from any goroutine.
	Wake() error

	// Close closes every connection. What is still in flight ends first: what
	// was sent as open at end, what still waited for a connection as dropped.
	Close() (Stats, error)
}

// An Observer hears what happens to the requests a transport took. Both are
// called from within Send, Wait and Close, and must not call back.
type Observer interface {
	// Sent tells that the first byte was handed to the kernel, or for a
	// request whose connect fails that the connect was, and how late: the wait
	// for a connect is no part of the lag (see rundir.Sample).
	Sent(lag int64)
	// Done tells the fate of one request. The sample is reused afterwards.
	// Every Done but one of outcome Dropped follows its Sent.
	Done(*rundir.Sample)
}

// Options are what the engine gives a transport when it opens it.
type Options struct {
	Clock    *Clock
	Observer Observer

	// Connections is the most open at once, at least 1. A transport of one
	// request a connection has no more than this in flight.
	Connections int
	// Warm is how many to open before Open returns, 0..Connections.
	Warm int
}

// Stats counts what a transport did with its connections.
type Stats struct {
	Connects   uint64 // connections established
	Failed     uint64 // connects that failed
	Reconnects uint64 // of Connects, those that replaced one the peer had closed
	IdleClosed uint64 // keep-alive connections the peer closed while idle
	Stray      uint64 // connections closed because bytes came that nobody asked for
	Waited     uint64 // requests that had to wait for a connect

	ConnectTime rundir.Distribution // of Connects: until a request could be sent, no part of a request's service time

	// Parts of it, where a transport has them and can tell them apart.
	ResolveTime   rundir.Distribution // of name lookups
	HandshakeTime rundir.Distribution // of TLS handshakes
}

// Merge adds all of other.
func (s *Stats) Merge(other *Stats) {
	s.Connects += other.Connects
	s.Failed += other.Failed
	s.Reconnects += other.Reconnects
	s.IdleClosed += other.IdleClosed
	s.Stray += other.Stray
	s.Waited += other.Waited
	s.ConnectTime.Merge(&other.ConnectTime)
	s.ResolveTime.Merge(&other.ResolveTime)
	s.HandshakeTime.Merge(&other.HandshakeTime)
}
