package transporttest

import (
	"fmt"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/response"
)

// A Setup says what the transport under test shall send, and where.
type Setup struct {
	Address    string
	Method     string // GET, HEAD or POST
	Body       string
	Timeout    time.Duration
	Expect     *response.Expectation // Head is set by Method
	Source     transport.Source      // instead of one request for all
	ColdHeader string
	Options    transport.Options
}

// Sources is what the transport shall send.
func (s Setup) Sources() transport.Sources {
	if s.Source != nil {
		return func() transport.Source { return s.Source }
	}
	expect := response.Expectation{}
	if s.Expect != nil {
		expect = *s.Expect
	}
	expect.Head = s.Method == "HEAD"
	return transport.Always(transport.Request{Bytes: s.request(), Timeout: s.Timeout, Expect: &expect})
}

func (s Setup) request() []byte {
	length := ""
	if s.Method == "POST" {
		length = fmt.Sprintf("Content-Length: %d\r\n", len(s.Body))
	}
	return fmt.Appendf(nil, "%s /case HTTP/1.1\r\nHost: %s\r\n%s\r\n%s", s.Method, s.Address, length, s.Body)
}

// Open makes the transport under test. Its header limit must be 64 KiB.
type Open func(Setup) (transport.Transport, error)

// A client drives a transport as a shard of the engine does.
type client struct {
	t         *testing.T
	transport transport.Transport
	clock     *transport.Clock
	next      uint64
	sent      int
	samples   []rundir.Sample
	stats     *transport.Stats
}

// patience ends a test that would hang; no case comes near it.
const patience = int64(time.Minute)

func newClient(t *testing.T, open Open, s Setup) *client {
	t.Helper()
	c := &client{t: t, clock: transport.NewClock()}
	if s.Timeout == 0 {
		s.Timeout = time.Duration(patience)
	}
	if s.Method == "" {
		s.Method = "GET"
	}
	if s.Options.Connections == 0 {
		s.Options.Connections = 8
	}
	s.Options.Clock, s.Options.Observer = c.clock, c
	tr, err := open(s)
	if err != nil {
		t.Fatal(err)
	}
	c.transport = tr
	t.Cleanup(func() { c.close() })
	return c
}

// Sent and Done make the client a transport.Observer.
func (c *client) Sent(lag int64) {
	if lag < 0 {
		c.t.Errorf("sent %d ns before it was scheduled", -lag)
	}
	c.sent++
}

func (c *client) Done(s *rundir.Sample) {
	if s.Outcome != rundir.Dropped && s.Outcome != rundir.OpenAtEnd && (s.Done < s.Sent || s.Sent < s.Scheduled) {
		c.t.Errorf("request %d (%v): scheduled %d, sent %d, done %d", s.Index, s.Outcome, s.Scheduled, s.Sent, s.Done)
	}
	c.samples = append(c.samples, *s)
}

// send gives the transport one request.
func (c *client) send() rundir.DropReason {
	ticket := transport.Ticket{Index: c.next, Phase: 3, Function: 5, Scheduled: c.clock.Now()}
	c.next++
	return c.transport.Send(ticket)
}

// until waits until the condition holds.
func (c *client) until(what string, holds func() bool) {
	c.t.Helper()
	end := c.clock.Now() + patience
	for !holds() {
		if c.clock.Now() > end {
			c.t.Fatalf("waited in vain for %s; %d of %d requests ended", what, len(c.samples), c.next)
		}
		if err := c.transport.Wait(c.clock.Now() + int64(10*time.Millisecond)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// exchange sends one request and returns what became of it.
func (c *client) exchange() rundir.Sample {
	c.t.Helper()
	n := len(c.samples)
	if drop := c.send(); drop != rundir.DropNone {
		c.t.Fatalf("request %d dropped: %v", c.next-1, drop)
	}
	c.until("the response", func() bool { return len(c.samples) > n })
	if len(c.samples) != n+1 || c.samples[n].Index != c.next-1 || c.samples[n].Phase != 3 || c.samples[n].Function != 5 {
		c.t.Fatalf("after request %d: %+v", c.next-1, c.samples[n:])
	}
	return c.samples[n]
}

// close ends the transport, once, and returns its counts.
func (c *client) close() transport.Stats {
	if c.stats == nil {
		stats, err := c.transport.Close()
		if err != nil {
			c.t.Error(err)
		}
		c.stats = &stats
	}
	return *c.stats
}
