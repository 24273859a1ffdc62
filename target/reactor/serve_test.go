package reactor

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"edgebench/target/httpwire"
)

func TestKeepAliveAndClose(t *testing.T) {
	t.Parallel()
	s := start(t, echo{}, Config{})
	c := dial(t, s.addr)
	for i := range 3 {
		c.send(t, get(fmt.Sprint("/", i)))
		c.want(t, fmt.Sprintf("200 GET /%d 0", i))
	}
	c.send(t, get("/last", "Connection: close"))
	c.want(t, "200 close GET /last 0")
	c.wantEnd(t)
	old := dial(t, s.addr)
	old.send(t, "GET /old HTTP/1.0\r\n\r\n")
	old.want(t, "200 close GET /old 0")
	old.wantEnd(t)
}

// A standard client's requests, with bodies of known and unknown length.
func TestStandardClient(t *testing.T) {
	t.Parallel()
	s := start(t, echo{}, Config{})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	hc := &http.Client{Transport: transport}
	for _, size := range []int{0, 1, 5000, 300_000} {
		for _, body := range []io.Reader{strings.NewReader(strings.Repeat("x", size)), io.LimitReader(zeros{}, int64(size))} {
			resp, err := hc.Post("http://"+s.addr+"/p", "text/plain", body)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if want := fmt.Sprint("POST /p ", size); err != nil || string(got) != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
	}
	if got := s.Stats().Accepted; got != 1 {
		t.Errorf("%d connections, want 1", got)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Every way to cut two pipelined requests in two gives the same answers.
func TestSplitWrites(t *testing.T) {
	t.Parallel()
	s := start(t, echo{}, Config{})
	text := "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
		"PUT /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nde"
	c := dial(t, s.addr)
	for cut := 1; cut < len(text); cut++ {
		before := s.received(t)
		c.send(t, text[:cut])
		s.await(t, func() bool { return s.received(t) != before })
		c.send(t, text[cut:])
		c.want(t, "200 POST /a 3")
		c.want(t, "200 PUT /b 2")
	}
	slow := dial(t, s.addr)
	for i := range len(text) {
		slow.send(t, text[i:i+1]) // TCP_NODELAY: a segment each
	}
	slow.want(t, "200 POST /a 3")
	slow.want(t, "200 PUT /b 2")
}

// received tells the state of all input, on the loop's thread.
func (s *server) received(t *testing.T) string {
	var state strings.Builder
	s.onLoop(t, func() {
		for _, c := range s.conns {
			fmt.Fprintf(&state, "%d %d %v %d;", len(c.in), len(c.body), c.parser.Between(), s.Stats().Requests)
		}
	})
	return state.String()
}

// await lets the loop turn until the condition holds; the test's own timeout
// is the limit.
func (s *server) await(t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() {
		s.onLoop(t, func() {})
	}
}

// Completions in any order from any goroutine leave in the order of the requests.
func TestPipelinedAnswersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := start(t, h, Config{})
	c := dial(t, s.addr)
	const n = 16
	c.send(t, strings.Repeat(get("/"), n))
	tickets := make([]Ticket, n)
	for i := range tickets {
		tickets[i] = <-h.tickets
	}
	for i := range n {
		k := (i*7 + 3) % n
		go func() {
			body := []byte(fmt.Sprint("answer ", k))
			s.Complete(tickets[k], httpwire.Response{Body: body})
			clear(body) // ours again as soon as Complete has returned
		}()
	}
	for i := range n {
		c.want(t, fmt.Sprint("200 answer ", i))
	}
	s.Complete(tickets[0], httpwire.Response{})
	s.Complete(Ticket{}, httpwire.Response{})
	s.Complete(Ticket{slot: 99}, httpwire.Response{})
	s.await(t, func() bool { return s.Stats().Stale == 3 })
}

// An answer given at once waits for the earlier request's, large bodies too.
func TestImmediateAnswerBehindPending(t *testing.T) {
	t.Parallel()
	h := mixed{newLater()}
	s := start(t, h, Config{})
	c := dial(t, s.addr)
	c.send(t, get("/later")+get("/now")+"BAD\r\n")
	large := strings.Repeat("x", 3*ownBody)
	s.Complete(<-h.tickets, httpwire.Response{Status: 201, Body: []byte(large)})
	c.want(t, "201 "+large)
	c.want(t, "200 GET /now 0")
	c.want(t, `400 close request line "BAD" is not method, target and version`)
	c.wantEnd(t)
}

type mixed struct{ later }

func (m mixed) Serve(req *httpwire.Request, t Ticket) (httpwire.Response, bool) {
	if string(req.Path()) == "/now" {
		return echo{}.Serve(req, t)
	}
	return m.later.Serve(req, t)
}

// A handler that closes leaves the requests behind without an answer, and hears so.
func TestHandlerCloses(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := start(t, h, Config{})
	c := dial(t, s.addr)
	c.send(t, get("/1")+get("/2"))
	first, second := <-h.tickets, <-h.tickets
	s.Complete(first, httpwire.Response{Status: 503, Close: true})
	c.want(t, "503 close ")
	c.wantEnd(t)
	if got := <-h.canceled; got != (canceled{second, true}) {
		t.Errorf("canceled %+v, want ticket %+v", got, second)
	}
}

func TestHeadAndContinue(t *testing.T) {
	t.Parallel()
	s := start(t, echo{}, Config{})
	c := dial(t, s.addr)
	c.send(t, "HEAD /h HTTP/1.1\r\nHost: h\r\n\r\n"+"PUT /c HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	resp, err := http.ReadResponse(c.in, &http.Request{Method: "HEAD"})
	if err != nil || resp.ContentLength != int64(len("HEAD /h 0")) {
		t.Fatalf("%+v, %v", resp, err)
	}
	resp.Body.Close()
	c.want(t, "100 ")
	c.send(t, "ab")
	c.want(t, "200 PUT /c 2")
}

// 100 Continue waits for the answers of earlier requests.
func TestContinueBehindPending(t *testing.T) {
	t.Parallel()
	h := mixed{newLater()}
	s := start(t, h, Config{})
	c := dial(t, s.addr)
	c.send(t, get("/later")+"PUT /now HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	s.Complete(<-h.tickets, httpwire.Response{})
	c.want(t, "200 ")
	c.want(t, "100 ")
	c.send(t, "ab")
	c.want(t, "200 PUT /now 2")
}

// A request costs no allocation, answered at once or by another goroutine.
func TestServingAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	work := make(chan Ticket, 1)
	t.Cleanup(func() { close(work) }) // after the reactors have ended
	for name, h := range map[string]Handler{"at once": ping{}, "later": relay{work}} {
		s := start(t, h, Config{})
		if name == "later" {
			go func() {
				for ticket := range work {
					s.Complete(ticket, httpwire.Response{Type: "text/plain", Body: pong})
				}
			}()
		}
		c := dial(t, s.addr)
		request, response := []byte(get("/ping")), make([]byte, 4096)
		if n := testing.AllocsPerRun(200, func() {
			if _, err := c.Write(request); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Read(response); err != nil {
				t.Fatal(err)
			}
		}); n != 0 { // counted over the whole process: the loop's thread too
			t.Errorf("%s: %v allocations a request", name, n)
		}
	}
}

type relay struct{ work chan Ticket }

func (h relay) Serve(_ *httpwire.Request, t Ticket) (httpwire.Response, bool) {
	h.work <- t
	return httpwire.Response{}, true
}

type ping struct{}

func (ping) Serve(*httpwire.Request, Ticket) (httpwire.Response, bool) {
	return httpwire.Response{Type: "text/plain", Body: pong}, false
}

var pong = []byte("pong\n")
