package transporttest

import (
	"strings"
	"testing"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
)

// serveOnce answers one request on its first connection, which the function
// it returns then closes, and any number on later ones.
func serveOnce(t *testing.T, u subject) (*Server, func()) {
	ask, done := make(chan bool), make(chan bool)
	server := u.serve(t, func(c *Conn) {
		if c.Number > 1 {
			echo(c)
			return
		}
		c.Request()
		c.Send(okResponse)
		<-ask
		c.Close()
		close(done)
	})
	return server, func() {
		close(ask)
		<-done
	}
}

// testIdleClose: the server gave up the connection while nothing was sent. The
// next request opens another one, and is no error.
func testIdleClose(t *testing.T, u subject) {
	server, closeIdle := serveOnce(t, u)
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: "once"})
	client.exchange()
	closeIdle()
	if err := client.transport.Wait(client.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if s := client.exchange(); s.Outcome != rundir.OK {
		t.Errorf("after the idle close: %v", s.Outcome)
	}
	stats := client.close()
	if server.Requests() != 2 || stats.IdleClosed != 1 || stats.Reconnects != 1 {
		t.Errorf("%d requests on the wire, %+v", server.Requests(), stats)
	}
}

// testStale: the same, but the request goes out before the close is noticed.
// It may be lost, and then has a class of its own; it is never sent again.
func testStale(t *testing.T, u subject) {
	server, closeIdle := serveOnce(t, u)
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: "once"})
	client.exchange()
	closeIdle()
	s := client.exchange()
	arrived := server.Requests() - 1
	if !(s.Outcome == rundir.ErrStale && arrived == 0) && !(s.Outcome == rundir.OK && arrived == 1) {
		t.Errorf("outcome %v with the request %d times on the wire", s.Outcome, arrived)
	}
	if s := client.exchange(); s.Outcome != rundir.OK {
		t.Errorf("afterwards: %v", s.Outcome)
	}
	if stats := client.close(); stats.IdleClosed != 1 || stats.Reconnects != 1 {
		t.Errorf("%+v", stats)
	}
}

// testResetAfterRead: a reused connection ends without an answer, but the
// server has read the request. That is the target's failure and not a stale
// connection.
func testResetAfterRead(t *testing.T, u subject) {
	for name, end := range map[string]func(*Conn){"close": func(*Conn) {}, "reset": (*Conn).Reset} {
		server := u.serve(t, func(c *Conn) {
			c.Request()
			c.Send(okResponse)
			c.Request()
			end(c)
		})
		client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: "once"})
		client.exchange()
		if s := client.exchange(); s.Outcome != rundir.ErrReset || server.Requests() != 2 {
			t.Errorf("%s: outcome %v, %d requests on the wire", name, s.Outcome, server.Requests())
		}
	}
}

// testStray: bytes nobody asked for must not answer the next request.
func testStray(t *testing.T, u subject) {
	spoken, speak := make(chan bool), make(chan bool)
	server := u.serve(t, func(c *Conn) {
		if c.Number > 1 {
			echo(c)
			return
		}
		c.Request()
		c.Send("HTTP/1.1 204 No Content\r\n\r\n")
		<-speak
		c.Send("late body of a 204")
		close(spoken)
		echo(c)
	})
	client := newClient(t, u.open, Setup{Address: server.Address()})
	if s := client.exchange(); s.Outcome != rundir.OK || s.Status != 204 {
		t.Errorf("the 204: %v, %d", s.Outcome, s.Status)
	}
	close(speak)
	<-spoken
	if err := client.transport.Wait(client.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if s := client.exchange(); s.Outcome != rundir.OK || s.Status != 200 {
		t.Errorf("the request after it: %v, %d", s.Outcome, s.Status)
	}
	if stats := client.close(); stats.Stray != 1 {
		t.Errorf("%+v", stats)
	}
}

// testLateBody: a server that sends the body of a HEAD only after the next
// request is on its way must not have it taken for the next response.
func testLateBody(t *testing.T, u subject) {
	server := u.serve(t, func(c *Conn) {
		head := "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"
		c.Request()
		c.Send(head)
		for c.Request() {
			c.Send("hello world" + head)
		}
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "HEAD"})
	for range 3 {
		if s := client.exchange(); s.Outcome != rundir.OK || s.Status != 200 {
			t.Errorf("%v, status %d", s.Outcome, s.Status)
		}
	}
}

// testLargeRequest: more than a socket takes at once, to a server that reads
// only when it must.
func testLargeRequest(t *testing.T, u subject) {
	read := make(chan bool)
	server := u.serve(t, func(c *Conn) {
		<-read
		echo(c)
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: strings.Repeat("x", 20<<20)})
	client.send()
	client.until("the first byte to be sent", func() bool { return client.sent == 1 })
	close(read)
	client.until("the response", func() bool { return len(client.samples) == 1 })
	if s := client.samples[0]; s.Outcome != rundir.OK {
		t.Errorf("outcome %v", s.Outcome)
	}
	if s := client.exchange(); s.Outcome != rundir.OK || server.Connections() != 1 {
		t.Errorf("the next: %v on connection %d", s.Outcome, server.Connections())
	}
}

// testEarlyAnswer: the server refuses a large body without reading it. The
// answer counts, and the half-written connection carries nothing more.
func testEarlyAnswer(t *testing.T, u subject) {
	done := make(chan bool)
	defer close(done)
	server := u.serve(t, func(c *Conn) {
		if c.Number == 1 {
			c.Send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
			<-done // if it read, all of the request might go out
			return
		}
		echo(c)
	})
	client := newClient(t, u.open, Setup{Address: server.Address(), Method: "POST", Body: strings.Repeat("x", 20<<20)})
	if s := client.exchange(); s.Outcome != rundir.ErrStatus4xx || s.Status != 413 {
		t.Errorf("outcome %v, status %d", s.Outcome, s.Status)
	}
	if s := client.exchange(); s.Outcome != rundir.OK || server.Connections() != 2 {
		t.Errorf("the next: %v on connection %d", s.Outcome, server.Connections())
	}
}

// testResetInside: a reset after a part of the response.
func testResetInside(t *testing.T, u subject) {
	sent, reset := make(chan bool), make(chan bool)
	server := u.serve(t, func(c *Conn) {
		c.Request()
		c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
		close(sent)
		<-reset
		c.Reset()
	})
	client := newClient(t, u.open, Setup{Address: server.Address()})
	client.send()
	client.until("the request to arrive", func() bool { return server.Requests() == 1 })
	<-sent
	if err := client.transport.Wait(client.clock.Now()); err != nil { // reads what is there
		t.Fatal(err)
	}
	close(reset)
	client.until("the end", func() bool { return len(client.samples) == 1 })
	if s := client.samples[0]; s.Outcome != rundir.ErrTruncatedBody || s.Status != 200 {
		t.Errorf("outcome %v, status %d", s.Outcome, s.Status)
	}
}

func testWarm(t *testing.T, u subject) {
	server := u.serve(t, echo)
	client := newClient(t, u.open, Setup{Address: server.Address(), Options: transport.Options{Connections: 100, Warm: 100}})
	for range 100 {
		client.send()
	}
	if client.sent != 100 {
		t.Errorf("%d of 100 requests were sent at once", client.sent)
	}
	client.until("the responses", func() bool { return len(client.samples) == 100 })
	if stats := client.close(); stats.Connects != 100 || stats.ConnectTime.N != 100 || stats.Waited != 0 || stats.Reconnects != 0 {
		t.Errorf("%+v", stats)
	}
}

// testWaiting: with all connections taken up by connects, whichever is ready
// first serves the request that waited longest.
func testWaiting(t *testing.T, u subject) {
	server := u.serve(t, echo)
	client := newClient(t, u.open, Setup{Address: server.Address(), Options: transport.Options{Connections: 10}})
	for round := range 20 {
		for range 10 {
			if drop := client.send(); drop != rundir.DropNone {
				t.Fatalf("round %d: dropped: %v", round, drop)
			}
		}
		want := 10 * (round + 1)
		client.until("the responses", func() bool { return len(client.samples) == want })
	}
	for _, s := range client.samples {
		if s.Outcome != rundir.OK {
			t.Errorf("request %d: %v", s.Index, s.Outcome)
		}
	}
	if n := server.Requests(); n != 200 {
		t.Errorf("%d requests on the wire, want 200", n)
	}
}
