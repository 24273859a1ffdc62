package probe

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"edgebench/analysis/plain"
	"edgebench/loadgen/transport"
)

// mostBody is how much of a body is read, and keptBody how much of it is looked at.
const (
	mostBody = 16 << 20
	keptBody = 64 << 10
)

// A Handshake is how TLS is spoken.
type Handshake struct{ Config *tls.Config }

// offers asks, on a connection of its own and without a request, which protocol
// the target would choose of HTTP/2 and HTTP/1.1.
func (h *Handshake) offers(ctx context.Context, dial func(context.Context) (net.Conn, error), r *Report) {
	conn, err := dial(ctx)
	if err != nil {
		return // the next one tells
	}
	defer conn.Close()
	config := h.Config.Clone()
	config.NextProtos = []string{"h2", "http/1.1"}
	secure := tls.Client(conn, config)
	if secure.HandshakeContext(ctx) == nil {
		r.HTTP2 = secure.ConnectionState().NegotiatedProtocol == "h2"
	}
}

// A connection carries one request after the other.
type connection struct {
	net.Conn
	reader    *bufio.Reader
	connect   time.Duration
	handshake time.Duration // 0 for plain HTTP
	secure    *tls.ConnectionState
}

func dial(ctx context.Context, dial func(context.Context) (net.Conn, error), h *Handshake) (*connection, error) {
	began := time.Now()
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, connect: time.Since(began)}
	if h != nil {
		began = time.Now()
		config := h.Config.Clone()
		config.NextProtos = []string{"http/1.1"}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, fmt.Errorf("TLS handshake: %w", err)
		}
		state := secure.ConnectionState()
		c.Conn, c.handshake, c.secure = secure, time.Since(began), &state
	}
	c.reader = bufio.NewReader(c.Conn)
	return c, nil
}

func (c *connection) close() {
	if c != nil {
		_ = c.Conn.Close()
	}
}

// closedByPeer reports whether the other end closed the connection while nothing
// was asked.
func (c *connection) closedByPeer() bool {
	if c == nil {
		return false
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.reader.Peek(1)
	timeout, ok := err.(net.Error)
	return err != nil && !(ok && timeout.Timeout())
}

// exchange sends a request and reads its response.
func (c *connection) exchange(ctx context.Context, method string, r transport.Request) (a Answer) {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = c.SetDeadline(time.Now().Add(r.Timeout))
	began := time.Now()
	fail := func(err error) Answer {
		a.TotalNS = int64(time.Since(began))
		a.Error = plain.Short(err.Error(), 200)
		return a
	}
	if _, err := c.Write(r.Bytes); err != nil {
		return fail(err)
	}
	if _, err := c.reader.Peek(1); err != nil {
		return fail(err)
	}
	a.FirstByteNS = int64(time.Since(began))
	response, err := c.response(method)
	if err != nil {
		return fail(err)
	}
	defer response.Body.Close()
	a.body, err = io.ReadAll(io.LimitReader(response.Body, keptBody))
	rest := int64(0)
	if err == nil {
		rest, err = io.Copy(io.Discard, io.LimitReader(response.Body, mostBody))
	}
	if err != nil {
		return fail(fmt.Errorf("inside the body: %w", err))
	}
	a.TotalNS = int64(time.Since(began))
	a.Status, a.BodyBytes = response.StatusCode, int64(len(a.body))+rest
	a.header, a.protocol = response.Header, response.Proto
	a.reusable = !response.Close && rest < mostBody
	return a
}

// response reads one that is final: interim ones (1xx) come before it.
func (c *connection) response(method string) (*http.Response, error) {
	for {
		response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
		if err != nil || response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols {
			return response, err
		}
	}
}
