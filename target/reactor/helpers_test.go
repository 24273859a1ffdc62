package reactor

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"edgebench/target/httpwire"
)

// echo answers at once with the method, the target and the body's length.
type echo struct{}

func (echo) Serve(req *httpwire.Request, _ Ticket) (httpwire.Response, bool) {
	return httpwire.Response{Type: "text/plain", Body: fmt.Appendf(nil, "%s %s %d", req.Method(), req.Target(), len(req.Body))}, false
}

// later hands every ticket to the test and answers nothing itself.
type later struct {
	tickets  chan Ticket
	canceled chan canceled
}

type canceled struct {
	ticket Ticket
	gone   bool
}

func newLater() later { return later{make(chan Ticket, 1024), make(chan canceled, 1024)} }

func (l later) Serve(_ *httpwire.Request, t Ticket) (httpwire.Response, bool) {
	l.tickets <- t
	return httpwire.Response{}, true
}

func (l later) Cancel(t Ticket, gone bool) { l.canceled <- canceled{t, gone} }

// A server is a reactor that runs until the test stops it or ends.
type server struct {
	*Reactor
	addr string
	stop func() // begins the drain
	done chan error
}

func start(t testing.TB, h Handler, config Config) *server {
	t.Helper()
	return startLoops(t, 1, h, config)
}

// startLoops starts a reactor with followers, loops in all, that share a handler.
func startLoops(t testing.TB, loops int, h Handler, config Config) *server {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(config, h)
	if err != nil {
		t.Fatal(err)
	}
	for range loops - 1 {
		if err := r.Follow(h); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{Reactor: r, addr: l.Addr().String(), stop: cancel, done: make(chan error, 1)}
	go func() {
		s.done <- r.Run(ctx, l)
		close(s.done)
	}()
	t.Cleanup(func() {
		r.Post(func() { r.cut = true }) // whatever a failed test left open
		cancel()
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// eachSize runs a test of one loop, and of several.
func eachSize(t *testing.T, test func(t *testing.T, loops int)) {
	t.Parallel()
	for _, loops := range []int{1, 3} {
		t.Run(fmt.Sprint(loops), func(t *testing.T) {
			t.Parallel()
			test(t, loops)
		})
	}
}

// onLoops runs f on the thread of each loop in turn.
func (s *server) onLoops(t testing.TB, f func(*Reactor)) {
	t.Helper()
	for _, r := range s.loops {
		(&server{Reactor: r}).onLoop(t, func() { f(r) })
	}
}

// onLoop runs f on the loop's thread and waits for it.
func (s *server) onLoop(t testing.TB, f func()) {
	t.Helper()
	ran := make(chan struct{})
	if !s.Post(func() { f(); close(ran) }) {
		t.Fatal("the reactor has ended")
	}
	<-ran
}

// A client is a connection with a buffered reader.
type client struct {
	*net.TCPConn
	in *bufio.Reader
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{c.(*net.TCPConn), bufio.NewReader(c)}
}

func (c *client) send(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// get is the text of a GET request.
func get(target string, headers ...string) string {
	text := "GET " + target + " HTTP/1.1\r\nHost: h\r\n"
	for _, h := range headers {
		text += h + "\r\n"
	}
	return text + "\r\n"
}

// answer reads one response and tells its status, Connection and body.
func (c *client) answer(t testing.TB) string {
	t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatalf("read response: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatalf("read body: %v", err)
	}
	closing := ""
	if resp.Close {
		closing = " close"
	}
	return fmt.Sprintf("%d%s %s", resp.StatusCode, closing, strings.TrimSpace(string(body)))
}

func (c *client) want(t testing.TB, want string) {
	t.Helper()
	if got := c.answer(t); got != want {
		t.Fatalf("answer %q, want %q", got, want)
	}
}

// wantEnd expects the end of the stream and not a reset.
func (c *client) wantEnd(t testing.TB) {
	t.Helper()
	if b, err := c.in.ReadByte(); err != io.EOF {
		t.Fatalf("byte %q, error %v, want the end of the stream", b, err)
	}
}
