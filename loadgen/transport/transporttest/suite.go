package transporttest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
)

// Run checks a transport against every case, over TCP.
func Run(t *testing.T, open Open) { RunOver(t, Medium{}, open) }

// RunOver is Run with servers that listen on another medium. Cases where
// nobody listens use TCP all the same.
func RunOver(t *testing.T, m Medium, open Open) {
	u := subject{m, open}
	for _, c := range responseCases() {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); testResponse(t, u, c, (*Conn).Send) })
		if c.together || len(c.response) > 10_000 {
			continue
		}
		t.Run(c.name+", bytewise", func(t *testing.T) { t.Parallel(); testResponse(t, u, c, (*Conn).SendBytewise) })
	}
	for name, test := range map[string]func(*testing.T, subject){
		"timeout":                                 testTimeout,
		"refused":                                 testRefused,
		"unreachable when warmed":                 testUnreachable,
		"max in flight":                           testMaxInFlight,
		"C12 idle close is noticed":               testIdleClose,
		"C12 a stale connection is not retried":   testStale,
		"a reset of a request that was read":      testResetAfterRead,
		"stray bytes on an idle connection":       testStray,
		"C05 the late body of a HEAD":             testLateBody,
		"the node's marks":                        testMarks,
		"a large request to a slow reader":        testLargeRequest,
		"an early answer to a large request":      testEarlyAnswer,
		"a reset inside a response":               testResetInside,
		"open at end":                             testOpenAtEnd,
		"connections are warmed":                  testWarm,
		"a freed connection serves a waiting one": testWaiting,
		"expected statuses and bodies":            testExpectations,
		"requests of a source, part by part":      testSource,
		"each request has its own timeout":        testTimeouts,
		"C60 the wait for a connect":              testConnectWait,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, u) })
	}
}

// A subject is the transport under test and what its servers listen on.
type subject struct {
	medium Medium
	open   Open
}

func (u subject) serve(t *testing.T, script func(*Conn)) *Server {
	t.Helper()
	return ServeOver(t, u.medium, script)
}

// echo answers every request on a connection.
func echo(c *Conn) {
	for c.Request() {
		c.Send(okResponse)
	}
}

func testResponse(t *testing.T, u subject, rc responseCase, send func(*Conn, string)) {
	server := u.serve(t, func(c *Conn) {
		if c.Number > 1 {
			echo(c)
			return
		}
		if !c.Request() {
			return
		}
		send(c, rc.response)
		switch rc.ending {
		case closes:
			return
		case resets:
			c.Reset()
			return
		}
		if rc.method == "HEAD" { // HEAD again: no body
			for c.Request() {
				c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
			}
			return
		}
		echo(c)
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: rc.method})
	got := client.exchange()
	if got.Outcome != rc.outcome || got.Status != rc.status {
		t.Errorf("outcome %v, status %d; want %v, %d", got.Outcome, got.Status, rc.outcome, rc.status)
	}
	if rc.outcome == rundir.OK && rc.reused && got.Bytes != int64(len(rc.response)) {
		t.Errorf("%d bytes received, the response has %d", got.Bytes, len(rc.response))
	}
	if server.Requests() != 1 {
		t.Errorf("%d requests on the wire for one", server.Requests())
	}
	if again := client.exchange(); again.Outcome != rundir.OK {
		t.Errorf("the request after it: %v", again.Outcome)
	}
	want := int64(2)
	if rc.reused {
		want = 1
	}
	if got := server.Connections(); got != want {
		t.Errorf("%d connections for two requests, want %d", got, want)
	}
	if server.Requests() != 2 {
		t.Errorf("%d requests on the wire for two", server.Requests())
	}
}

func testTimeout(t *testing.T, u subject) {
	gone := make(chan bool, 2)
	server := u.serve(t, func(c *Conn) {
		c.Request()
		c.Drain()
		gone <- true
	})
	timeout := 50 * time.Millisecond
	client := newClient(t, u.open, Setup{Address: server.Address(), Timeout: timeout})
	for range 2 {
		if s := client.exchange(); s.Outcome != rundir.ErrTimeout || s.Done-s.Sent != int64(timeout) {
			t.Errorf("outcome %v after %d ns", s.Outcome, s.Done-s.Sent)
		}
		<-gone // a late answer must find no one
	}
	if server.Connections() != 2 {
		t.Errorf("%d connections for two timeouts", server.Connections())
	}
}

// ClosedPort is an address where nobody listens: a bound socket that does not
// listen keeps the port from everyone else.
func ClosedPort(t testing.TB) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", address.(*unix.SockaddrInet4).Port)
}

func testRefused(t *testing.T, u subject) {
	client := newClient(t, u.open, Setup{Address: ClosedPort(t)})
	if s := client.exchange(); s.Outcome != rundir.ErrRefused || client.sent != 1 {
		t.Errorf("outcome %v, %d sent", s.Outcome, client.sent)
	}
	if stats := client.close(); stats.Failed == 0 || stats.Connects != 0 {
		t.Errorf("%+v", stats)
	}
}

func testUnreachable(t *testing.T, u subject) {
	address := ClosedPort(t)
	tr, err := u.open(Setup{
		Address: address, Method: "GET", Timeout: time.Minute,
		Options: transport.Options{Clock: transport.NewClock(), Connections: 2, Warm: 2},
	})
	if err == nil {
		_, _ = tr.Close()
	}
	if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(fmt.Sprint(err), address) {
		t.Errorf("error %v does not name %s as unreachable", err, address)
	}
}

func testMaxInFlight(t *testing.T, u subject) {
	answer := make(chan bool)
	server := u.serve(t, func(c *Conn) {
		for c.Request() {
			<-answer
			c.Send(okResponse)
		}
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Options: transport.Options{Connections: 2}})
	for i, want := range []rundir.DropReason{rundir.DropNone, rundir.DropNone, rundir.DropMaxInFlight} {
		if got := client.send(); got != want {
			t.Errorf("request %d: %q, want %q", i, got, want)
		}
	}
	close(answer)
	client.until("both responses", func() bool { return len(client.samples) == 2 })
	if s := client.exchange(); s.Outcome != rundir.OK {
		t.Errorf("afterwards: %v", s.Outcome)
	}
}

func testOpenAtEnd(t *testing.T, u subject) {
	server := u.serve(t, func(c *Conn) {
		c.Request()
		c.Drain()
	})
	client := newClient(t, u.open, Setup{Address: server.Address()})
	client.send()
	client.until("the request to arrive", func() bool { return server.Requests() == 1 })
	client.close()
	if len(client.samples) != 1 || client.samples[0].Outcome != rundir.OpenAtEnd || client.sent != 1 {
		t.Errorf("%+v", client.samples)
	}
}

func testMarks(t *testing.T, u subject) {
	server := u.serve(t, func(c *Conn) {
		for i := 0; c.Request(); i++ {
			marks := ""
			if i == 0 {
				marks = "X-Path: fallback\r\nX-Cold-Start: true\r\nX-Worker-Id: 17\r\nX-Queue-Wait-Ns: 300000000\r\n" +
					"x-start-wait-ns: 900123456\r\nX-Service-Ns: 500000001\r\n"
			}
			c.Send("HTTP/1.1 200 OK\r\n" + marks + "Content-Length: 0\r\n\r\n")
		}
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: "{}", ColdHeader: "x-cold-start"})
	s := client.exchange()
	if s.Path != rundir.PathFallback || s.Cold != rundir.MarkYes || s.Worker != 17 ||
		s.QueueWaitNS != 300000000 || s.StartWaitNS != 900123456 || s.ServiceNS != 500000001 {
		t.Errorf("marks: %+v", s)
	}
	s = client.exchange()
	if s.Path != rundir.PathUnknown || s.Cold != rundir.MarkNone || s.Worker != 0 || s.QueueWaitNS != 0 || s.StartWaitNS != 0 || s.ServiceNS != 0 {
		t.Errorf("marks of the response before it: %+v", s)
	}
}
