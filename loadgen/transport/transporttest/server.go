// Package transporttest is the conformance suite of transports: what each must
// do on the wire, whatever it is made of. The peers are real servers on real
// sockets that write exactly the bytes a case asks for.
package transporttest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// A Server answers connections by a script and counts what reaches it.
type Server struct {
	listener    net.Listener
	secure      *tls.Config
	script      func(*Conn)
	connections atomic.Int64
	requests    atomic.Int64

	mu      sync.Mutex
	open    map[*Conn]bool
	stopped bool
	done    sync.WaitGroup
}

// A Conn is the server's end of one connection.
type Conn struct {
	net.Conn
	socket net.Conn // under TLS, if there is any
	Number int64    // of the connection, from 1
	server *Server
	reader *bufio.Reader
}

// A Medium is what a server listens on. The zero value is plain TCP on a free
// port of the loopback.
type Medium struct {
	Listen func(testing.TB) net.Listener // nil for TCP
	TLS    *tls.Config                   // nil for none
}

// Serve listens on a free port and runs script for every connection, which is
// closed when the script returns. Everything ends with the test.
func Serve(t testing.TB, script func(*Conn)) *Server {
	t.Helper()
	return ServeOver(t, Medium{}, script)
}

// ServeOver is Serve on any medium. A connection counts when it is accepted;
// its script begins after the TLS handshake, and does not when that fails.
func ServeOver(t testing.TB, m Medium, script func(*Conn)) *Server {
	t.Helper()
	if m.Listen == nil {
		m.Listen = listenTCP
	}
	s := &Server{listener: m.Listen(t), secure: m.TLS, script: script, open: map[*Conn]bool{}}
	s.done.Go(s.accept)
	t.Cleanup(func() {
		s.Stop()
		s.done.Wait()
	})
	return s
}

func listenTCP(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// Address is where the server listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Connections is how many were accepted.
func (s *Server) Connections() int64 { return s.connections.Load() }

// Requests is how many whole requests were read.
func (s *Server) Requests() int64 { return s.requests.Load() }

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		c := &Conn{Conn: conn, socket: conn, Number: s.connections.Add(1), server: s}
		if s.secure != nil {
			c.Conn = tls.Server(conn, s.secure)
		}
		c.reader = bufio.NewReader(c.Conn)
		s.mu.Lock()
		s.open[c] = true
		if s.stopped {
			c.Close()
		}
		s.mu.Unlock()
		s.done.Go(func() {
			if c.shake() {
				s.script(c)
			}
			c.Close()
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
		})
	}
}

// shake ends the TLS handshake, if there is one, so that a script may speak
// before it has read anything.
func (c *Conn) shake() bool {
	secure, ok := c.Conn.(*tls.Conn)
	return !ok || secure.Handshake() == nil
}

// Stop closes the listener and all connections, as a process does that dies.
// A script may call it.
func (s *Server) Stop() {
	s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for c := range s.open {
		c.socket.Close()
	}
}

// Request reads one whole request and reports whether there was one.
func (c *Conn) Request() bool {
	_, ok := c.Numbered()
	return ok
}

// Numbered is Request, and tells how many requests the server has now read.
func (c *Conn) Numbered() (int64, bool) {
	request, err := http.ReadRequest(c.reader)
	if err != nil {
		return 0, false
	}
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return 0, false
	}
	return c.server.requests.Add(1), true
}

// Send writes text in one piece. A peer that has left is no fault of the server's.
func (c *Conn) Send(text string) { _, _ = io.WriteString(c, text) }

// SendBytewise writes text one byte at a time.
func (c *Conn) SendBytewise(text string) {
	for i := range len(text) {
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
	}
}

// Reset ends the connection with a reset instead of an orderly close, where
// the medium has such a thing.
func (c *Conn) Reset() {
	if socket, ok := c.socket.(*net.TCPConn); ok {
		_ = socket.SetLinger(0)
	}
	c.socket.Close()
}

// Drain reads until the peer closes.
func (c *Conn) Drain() {
	_, err := io.Copy(io.Discard, c.reader)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return // reset: it has left as well
	}
}

// Reader is what the script reads from, beside the requests.
func (c *Conn) Reader() *bufio.Reader { return c.reader }

// Join carries bytes between the two until one of them ends, and closes other.
func (c *Conn) Join(other net.Conn) {
	var carried sync.WaitGroup
	carried.Go(func() {
		_, _ = io.Copy(other, c.reader)
		other.Close()
	})
	_, _ = io.Copy(c, other)
	c.Close()
	other.Close()
	carried.Wait()
}
