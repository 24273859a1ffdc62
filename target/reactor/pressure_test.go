package reactor

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/httpwire"
)

// page answers with size bytes.
type page struct{ body []byte }

func (p page) Serve(*httpwire.Request, Ticket) (httpwire.Response, bool) {
	return httpwire.Response{Body: p.body}, false
}

// A client that sends and does not read fills the high-water mark and the
// kernel's buffers and no more; when it reads, every answer comes.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	const n, highWater = 6000, 64 << 10
	s := start(t, page{bytes.Repeat([]byte("x"), 4096)}, Config{HighWater: highWater})
	c := dial(t, s.addr)
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c, strings.Repeat(get("/"), n))
		sent <- err
	}()
	// Stalled: nothing can be written and nothing is read any more.
	s.await(t, func() bool {
		stalled := false
		s.onLoop(t, func() {
			for _, k := range s.conns {
				stalled = stalled || !k.writable && !s.room(k)
			}
		})
		return stalled
	})
	s.onLoop(t, func() {
		k := s.conns[0]
		if held := k.unsent() + k.held; held > highWater+8192 {
			t.Errorf("%d bytes of responses held, high water is %d", held, highWater)
		}
		if kept := cap(k.keep) + cap(k.out); kept > 4*highWater+2*readSize {
			t.Errorf("%d bytes of buffers", kept)
		}
	})
	if got := s.Stats().Requests; got == n {
		t.Error("all requests were served to a client that reads nothing")
	}
	for range n {
		if got := c.answer(t); len(got) != len("200 ")+4096 {
			t.Fatalf("answer of %d bytes", len(got))
		}
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
}

// Requests beyond the pipeline limit are left unread until answers make room.
func TestPipelineLimit(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := start(t, h, Config{Pipeline: 4})
	c := dial(t, s.addr)
	c.send(t, strings.Repeat(get("/"), 50))
	for i := range 50 {
		ticket := <-h.tickets
		s.onLoop(t, func() {
			if n := s.conns[0].queue.len(); n > 4 {
				t.Errorf("%d requests in flight, limit 4", n)
			}
		})
		s.Complete(ticket, httpwire.Response{Body: fmt.Append(nil, i)})
		c.want(t, fmt.Sprint("200 ", i))
	}
}

// A body above the limit is refused as soon as it is announced, and the client
// that goes on sending reads the refusal and not a reset.
func TestHugeBody(t *testing.T) {
	t.Parallel()
	const size = 100 << 20
	s := start(t, echo{}, Config{Limits: httpwire.Limits{Body: 1 << 20}})
	for _, framing := range []string{fmt.Sprint("Content-Length: ", size), "Transfer-Encoding: chunked"} {
		c := dial(t, s.addr)
		c.send(t, "POST / HTTP/1.1\r\nHost: h\r\n"+framing+"\r\n\r\n")
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			_, _ = fmt.Fprintf(c, "%x\r\n", size)
			_, _ = io.CopyN(c, zeros{}, size) // may fail when the server has had enough
			_ = c.CloseWrite()
		}()
		if got := c.answer(t); !strings.HasPrefix(got, "413 close ") {
			t.Errorf("%s: %s", framing, got)
		}
		<-finished
		c.Close()
	}
	s.await(t, func() bool { return s.Stats().Open == 0 })
	if got := s.Stats(); got.Faults != 2 || got.Requests != 0 {
		t.Errorf("%+v", got)
	}
}

// A request begun and not finished is answered 408 whatever dribbles in; the
// idle connection beside it lives on.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s := start(t, echo{}, Config{RequestTimeout: 50 * time.Millisecond})
	idle := dial(t, s.addr)
	idle.send(t, get("/before"))
	idle.want(t, "200 GET /before 0")
	for _, begin := range []string{"G", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"} {
		c := dial(t, s.addr)
		c.send(t, get("/ok")+begin)
		stop := dribble(c)
		c.want(t, "200 GET /ok 0")
		c.want(t, "408 close request not finished within 50ms")
		stop()
	}
	idle.send(t, get("/after"))
	idle.want(t, "200 GET /after 0")
}

// dribble sends a byte now and then until it is stopped or the connection ends.
func dribble(w io.Writer) (stop func()) {
	ticker, stopping := time.NewTicker(5*time.Millisecond), make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stopping:
				return
			case <-ticker.C:
				if _, err := w.Write([]byte("a")); err != nil {
					return
				}
			}
		}
	})
	return func() {
		ticker.Stop()
		close(stopping)
		writer.Wait()
	}
}

// A client that takes nothing of its response is cut.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := start(t, h, Config{WriteTimeout: 50 * time.Millisecond})
	c := dial(t, s.addr)
	c.send(t, get("/1")+get("/2"))
	first, second := <-h.tickets, <-h.tickets
	s.Complete(first, httpwire.Response{Body: make([]byte, 16<<20)})
	if got := <-h.canceled; got != (canceled{second, true}) {
		t.Errorf("canceled %+v", got)
	}
	s.Complete(second, httpwire.Response{})
	s.await(t, func() bool { return s.Stats().Stale == 1 })
	if got := s.Stats(); got.TimedOut != 1 || got.Broken != 1 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
}

// Idle connections hold no buffers and make no work: the loop turns only for
// the one that asks.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := start(t, ping{}, Config{})
	for range n {
		c := dial(t, s.addr)
		c.send(t, get("/"))
		c.want(t, "200 pong")
	}
	busy := dial(t, s.addr)
	busy.send(t, get("/"))
	busy.want(t, "200 pong")
	before := s.Stats().Waits
	for range 100 {
		busy.send(t, get("/"))
		busy.want(t, "200 pong")
	}
	if waits := s.Stats().Waits - before; waits > 1000 {
		t.Errorf("the loop turned %d times for 100 requests", waits)
	}
	s.onLoop(t, func() {
		for _, c := range s.conns {
			if c.in != nil || c.keep != nil || c.out != nil || c.reading.running() || c.writing.running() {
				t.Errorf("an idle connection holds %d, %d and %d bytes, timers %v %v",
					cap(c.in), cap(c.keep), cap(c.out), c.reading.running(), c.writing.running())
				return
			}
		}
		if len(s.timers) > 0 {
			t.Errorf("%d timers", len(s.timers))
		}
	})
}

// A reset in the middle of a response ends the connection and nothing else.
func TestResetMidWrite(t *testing.T) {
	t.Parallel()
	s := start(t, page{make([]byte, 16<<20)}, Config{})
	for i := range 5 {
		c := dial(t, s.addr)
		c.send(t, get("/"))
		if _, err := io.ReadFull(c, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if err := c.SetLinger(0); err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.await(t, func() bool { return s.Stats().Broken == uint64(i+1) && s.Stats().Open == 0 })
	}
	if got := s.Stats(); got.Open != 0 || got.Accepted != 5 {
		t.Errorf("%+v", got)
	}
}

// The client that has ended its sending gets its answers; the handler hears of
// it, and of a reset.
func TestHalfCloseAndReset(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := start(t, h, Config{})
	c := dial(t, s.addr)
	c.send(t, get("/1")+get("/2")+"GET /unfin")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		ticket := <-h.tickets
		if got := <-h.canceled; got != (canceled{ticket, false}) {
			t.Errorf("canceled %+v, want %+v, not gone", got, ticket)
		}
		s.Complete(ticket, httpwire.Response{Body: fmt.Append(nil, i)})
		c.want(t, fmt.Sprint("200 ", i))
	}
	c.wantEnd(t)

	c = dial(t, s.addr)
	c.send(t, get("/3"))
	ticket := <-h.tickets
	if err := c.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if got := <-h.canceled; got != (canceled{ticket, true}) {
		t.Errorf("canceled %+v, want %+v, gone", got, ticket)
	}
	again := dial(t, s.addr) // takes the place of the one before
	again.send(t, get("/4"))
	other := <-h.tickets
	s.Complete(ticket, httpwire.Response{Body: []byte("meant for the one before")})
	s.Complete(other, httpwire.Response{Body: []byte("mine")})
	again.want(t, "200 mine")
	if got := s.Stats().Stale; got != 1 || other.slot != ticket.slot {
		t.Errorf("%d stale answers, tickets %+v and %+v", got, ticket, other)
	}
}

func TestAcceptedSocketsHaveNoDelay(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	c := dial(t, s.addr)
	c.send(t, get("/"))
	c.want(t, "200 pong")
	s.onLoop(t, func() {
		if v, err := unix.GetsockoptInt(s.conns[0].fd, unix.IPPROTO_TCP, unix.TCP_NODELAY); err != nil || v == 0 {
			t.Errorf("TCP_NODELAY %d, %v", v, err)
		}
	})
}

func TestMaxConnections(t *testing.T) { eachSize(t, testMaxConnections) }

func testMaxConnections(t *testing.T, loops int) {
	s := startLoops(t, loops, ping{}, Config{MaxConnections: 2})
	held := []*client{dial(t, s.addr), dial(t, s.addr)}
	for _, c := range held {
		c.send(t, get("/"))
		c.want(t, "200 pong")
	}
	refused := dial(t, s.addr)
	refused.want(t, "503 close ")
	held[0].Close()
	s.await(t, func() bool { return s.Stats().Open == 1 })
	c := dial(t, s.addr)
	c.send(t, get("/"))
	c.want(t, "200 pong")
	if got := s.Stats(); got.Refused != 1 || got.Accepted != 3 {
		t.Errorf("%+v", got)
	}
}
