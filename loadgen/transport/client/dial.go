package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
)

// A dialer opens the connections to one target, for all shards.
type dialer struct {
	timeout time.Duration
	socket  string      // a Unix socket, or:
	names   *names      // the first hop
	tunnel  []byte      // what asks the proxy for a tunnel; nil without one
	secure  *tls.Config // nil for plain text
	peers   tally[netip.AddrPort]
	spoken  tally[Session]
}

// A link is an established connection.
type link struct {
	wire   *wire
	stream io.ReadWriteCloser // the wire, or TLS over it

	resolve, shake time.Duration // parts of total: lookup and TLS handshake, 0 without
	total          time.Duration
}

// A dialError is a connect that failed: by its stage a class of request, or,
// with a drop, for want of something on this machine.
type dialError struct {
	outcome rundir.Outcome
	drop    rundir.DropReason
	err     error
}

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// open opens one connection. Its time counts from began.
func (d *dialer) open(ctx context.Context, began time.Time) (*link, *dialError) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	l := &link{}
	conn, fault := d.connect(ctx, l)
	if fault != nil {
		return nil, fault
	}
	l.wire = &wire{Conn: conn}
	l.stream = l.wire
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	fault = d.negotiate(ctx, l)
	if !stop() && fault == nil {
		fault = &dialError{outcome: rundir.ErrConnect, err: ctx.Err()}
	}
	if fault == nil {
		if err := l.wire.detach(); err != nil {
			fault = &dialError{outcome: rundir.ErrConnect, drop: shortage(err), err: err}
		}
	}
	if fault != nil {
		conn.Close()
		return nil, fault
	}
	if address, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		used := address.AddrPort()
		d.peers.count(netip.AddrPortFrom(used.Addr().Unmap(), used.Port()))
	}
	if secured, ok := l.stream.(*tls.Conn); ok {
		d.spoken.count(sessionOf(secured.ConnectionState()))
	}
	l.total = time.Since(began)
	return l, nil
}

// connect makes the first hop's socket.
func (d *dialer) connect(ctx context.Context, l *link) (net.Conn, *dialError) {
	if d.socket != "" {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "unix", d.socket)
		if err != nil {
			return nil, connectError(err)
		}
		return conn, nil
	}
	addresses, took, err := d.names.addresses(ctx)
	if err != nil {
		return nil, &dialError{outcome: rundir.ErrDNS, err: err}
	}
	l.resolve = took
	conn, err := race(ctx, addresses)
	if err != nil {
		return nil, connectError(err)
	}
	return conn, nil
}

// negotiate makes the socket a connection to the target.
func (d *dialer) negotiate(ctx context.Context, l *link) *dialError {
	if d.tunnel != nil {
		if err := tunnel(l.wire, d.tunnel); err != nil {
			return &dialError{outcome: rundir.ErrConnect, err: fmt.Errorf("proxy: %w", cause(ctx, err))}
		}
	}
	if d.secure != nil {
		began := time.Now()
		secured := tls.Client(l.wire, d.secure)
		if err := secured.Handshake(); err != nil {
			return &dialError{outcome: rundir.ErrTLS, err: fmt.Errorf("tls handshake: %w", explain(cause(ctx, err)))}
		}
		l.shake = time.Since(began)
		l.stream = secured
	}
	return nil
}

// cause is the end of the time allowed where that is what broke a connection.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func connectError(err error) *dialError {
	e := &dialError{outcome: rundir.ErrConnect, drop: shortage(err), err: err}
	if errors.Is(err, unix.ECONNREFUSED) {
		e.outcome = rundir.ErrRefused
	}
	return e
}

// shortage is what this machine lacks for a connection, if that is the fault.
func shortage(err error) rundir.DropReason {
	switch {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return rundir.DropFDExhausted
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return rundir.DropLocalPortExhausted
	}
	return rundir.DropNone
}

// attemptDelay is how long one address keeps the next from being tried
// (RFC 8305, section 5).
const attemptDelay = 250 * time.Millisecond

// race connects to the first address that answers. The next one is tried when
// one fails or has taken its time; nothing is left behind of the others.
func race(ctx context.Context, addresses []netip.AddrPort) (net.Conn, error) {
	// Keep-alive probes would be traffic nobody scheduled.
	dialer := net.Dialer{KeepAlive: -1}
	if len(addresses) == 1 {
		return dialer.DialContext(ctx, "tcp", addresses[0].String())
	}
	type result struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result)
	begun, ended := 0, 0
	begin := func() {
		address := addresses[begun].String()
		begun++
		go func() {
			conn, err := dialer.DialContext(ctx, "tcp", address)
			results <- result{conn, err}
		}()
	}
	begin()
	ticker := time.NewTicker(attemptDelay)
	defer ticker.Stop()
	var won net.Conn
	var faults []error
	for ended < begun {
		select {
		case <-ticker.C:
			if begun < len(addresses) && won == nil {
				begin()
			}
		case r := <-results:
			ended++
			switch {
			case r.err == nil && won == nil:
				won = r.conn
				cancel() // the others end at once, and are waited for
			case r.err == nil:
				r.conn.Close()
			default:
				faults = append(faults, r.err)
				if begun < len(addresses) && won == nil {
					begin()
					ticker.Reset(attemptDelay)
				}
			}
		}
	}
	if won == nil {
		return nil, errors.Join(faults...)
	}
	return won, nil
}
