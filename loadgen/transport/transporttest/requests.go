package transporttest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/response"
)

// testExpectations: a response counts as ok when it is what was expected, and
// has a class of its own when only its body is not. C14: a 404 is an error
// unless it was asked for.
func testExpectations(t *testing.T, u subject) {
	notFound := "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope"
	chunked := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
	toClose := "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"
	has := func(text string) response.Check {
		return func(b response.Body) bool { return b.Whole && string(b.Bytes) == text }
	}
	only404 := response.Status{{From: 404, To: 404}}
	for _, c := range []struct {
		name, response string
		expect         response.Expectation
		want           rundir.Outcome
	}{
		{"expected 404", notFound, response.Expectation{Status: only404}, rundir.OK},
		{"unexpected 404", notFound, response.Expectation{}, rundir.ErrStatus4xx},
		{"unexpected 200", okResponse, response.Expectation{Status: only404}, rundir.ErrStatusOther},
		{"body", okResponse, response.Expectation{Keep: 10, Body: has("ok")}, rundir.OK},
		{"another body", okResponse, response.Expectation{Keep: 10, Body: has("no")}, rundir.ErrBodyCheck},
		{"an unexpected status is not looked into", notFound, response.Expectation{Keep: 10, Body: has("no")}, rundir.ErrStatus4xx},
		{"body in chunks", chunked, response.Expectation{Keep: 10, Body: has("hello")}, rundir.OK},
		{"body to the close", toClose, response.Expectation{Keep: 10, Body: has("hello")}, rundir.OK},
		{"the start of a body", chunked, response.Expectation{Keep: 3, Body: func(b response.Body) bool { return !b.Whole && string(b.Bytes) == "hel" }}, rundir.OK},
		{"C09 an encoding is told", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
			response.Expectation{Keep: 10, Body: func(b response.Body) bool { return b.Encoding == "gzip" && string(b.Bytes) == "ok" }}, rundir.OK},
		{"a body above its limit", okResponse, response.Expectation{MaxBody: 1}, rundir.ErrBodyTooLarge},
		{"chunks above the limit", chunked, response.Expectation{MaxBody: 4}, rundir.ErrBodyTooLarge},
	} {
		for how, send := range map[string]func(*Conn, string){"": (*Conn).Send, ", bytewise": (*Conn).SendBytewise} {
			server := u.serve(t, func(conn *Conn) {
				for conn.Request() {
					send(conn, c.response)
					if c.response == toClose {
						return
					}
				}
			})
			client := newClient(t, u.open, Setup{Address: server.Address(), Expect: &c.expect})
			for range 2 { // what was kept of the first is not the second's
				if s := client.exchange(); s.Outcome != c.want {
					t.Errorf("%s%s: %v, want %v", c.name, how, s.Outcome, c.want)
				}
			}
			if server.Requests() != 2 {
				t.Errorf("%s%s: %d requests on the wire for two", c.name, how, server.Requests())
			}
			client.close()
			server.Stop()
		}
	}
}

// numbered makes requests that tell their index, in one buffer for all of them.
type numbered struct {
	size    int // of a body
	timeout func(index uint64) time.Duration
	buffer  []byte
}

func (n *numbered) Request(ticket transport.Ticket) transport.Request {
	body := bytes.Repeat([]byte{'a' + byte(ticket.Index%26)}, n.size)
	n.buffer = fmt.Appendf(n.buffer[:0], "POST /%d HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", ticket.Index, len(body), body)
	return transport.Request{Bytes: n.buffer, Timeout: n.timeout(ticket.Index)}
}

func forever(uint64) time.Duration { return time.Duration(patience) }

// testSource: requests that a socket takes only in part arrive as they were
// made, although the source has used its buffer again.
func testSource(t *testing.T, u subject) {
	read := make(chan bool)
	var mu sync.Mutex
	arrived := map[string]bool{}
	server := u.serve(t, func(c *Conn) {
		<-read
		for {
			request, err := http.ReadRequest(c.Reader())
			if err != nil {
				return
			}
			body, err := io.ReadAll(request.Body)
			if err != nil {
				return
			}
			letter := body[:1]
			mu.Lock()
			arrived[request.URL.Path+string(letter)] = len(bytes.Trim(body, string(letter))) == 0
			mu.Unlock()
			c.Send(okResponse)
		}
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Source: &numbered{size: 6 << 20, timeout: forever}, Options: transport.Options{Connections: 3}})
	for range 3 {
		client.send()
	}
	client.until("all to be sent in part", func() bool { return client.sent == 3 })
	close(read)
	client.until("the responses", func() bool { return len(client.samples) == 3 })
	for _, want := range []string{"/0a", "/1b", "/2c"} {
		mu.Lock()
		if !arrived[want] {
			t.Errorf("%s did not arrive as it was made: %v", want, arrived)
		}
		mu.Unlock()
	}
}

// testTimeouts: a request with a short timeout ends before one with a long one
// that was sent earlier.
func testTimeouts(t *testing.T, u subject) {
	short := 50 * time.Millisecond
	answer := make(chan bool)
	server := u.serve(t, func(c *Conn) {
		c.Request()
		<-answer
		c.Send(okResponse)
		c.Drain()
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Source: &numbered{timeout: func(index uint64) time.Duration {
		if index == 0 {
			return time.Duration(patience)
		}
		return short
	}}})
	client.send()
	client.until("the first to arrive", func() bool { return server.Requests() == 1 })
	if s := client.exchange(); s.Index != 1 || s.Outcome != rundir.ErrTimeout || s.Done-s.Sent != int64(short) {
		t.Errorf("%+v, want a timeout of request 1 after %v", s, short)
	}
	close(answer)
	client.until("the first response", func() bool { return len(client.samples) == 2 })
	if s := client.samples[1]; s.Index != 0 || s.Outcome != rundir.OK {
		t.Errorf("%+v", s)
	}
}

// testConnectWait: the wait for a connect is told apart from the rest of the
// lag, and no part of the service time; a request on an idle connection has none.
func testConnectWait(t *testing.T, u subject) {
	server := u.serve(t, echo)
	client := newClient(t, u.open, Setup{Address: server.Address()})
	first, second := client.exchange(), client.exchange()
	if first.ConnectWaitNS <= 0 || first.ConnectWaitNS > first.Sent-first.Scheduled {
		t.Errorf("waited %d ns for a connect, with a lag of %d ns", first.ConnectWaitNS, first.Sent-first.Scheduled)
	}
	if second.ConnectWaitNS != 0 {
		t.Errorf("waited %d ns for a connect on an idle connection", second.ConnectWaitNS)
	}
	refused := newClient(t, u.open, Setup{Address: ClosedPort(t)})
	if s := refused.exchange(); s.Outcome != rundir.ErrRefused || s.ConnectWaitNS != 0 || !strings.Contains(s.Outcome.String(), "refused") {
		t.Errorf("%+v", s)
	}
}
