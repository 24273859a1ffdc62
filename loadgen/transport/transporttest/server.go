// Package transporttest is the conformance suite of transports: what each must
// do on the wire, whatever it is made of. The peers are real servers on real
// sockets that write exactly the bytes a case asks for.
package transporttest

import (
	"bufio"
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
	*net.TCPConn
	Number int64 // of the connection, from 1
	server *Server
	reader *bufio.Reader
}

// Serve listens on a free port and runs script for every connection, which is
// closed when the script returns. Everything ends with the test.
func Serve(t testing.TB, script func(*Conn)) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{listener: listener, script: script, open: map[*Conn]bool{}}
	s.done.Go(s.accept)
	t.Cleanup(func() {
		s.Stop()
		s.done.Wait()
	})
	return s
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
		c := &Conn{TCPConn: conn.(*net.TCPConn), Number: s.connections.Add(1), server: s, reader: bufio.NewReader(conn)}
		s.mu.Lock()
		s.open[c] = true
		if s.stopped {
			c.Close()
		}
		s.mu.Unlock()
		s.done.Go(func() {
			s.script(c)
			c.Close()
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
		})
	}
}

// Stop closes the listener and all connections, as a process does that dies.
// A script may call it.
func (s *Server) Stop() {
	s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for c := range s.open {
		c.Close()
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

// Reset ends the connection with a reset instead of an orderly close.
func (c *Conn) Reset() {
	_ = c.SetLinger(0)
	c.Close()
}

// Drain reads until the peer closes.
func (c *Conn) Drain() {
	_, err := io.Copy(io.Discard, c.reader)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return // reset: it has left as well
	}
}
