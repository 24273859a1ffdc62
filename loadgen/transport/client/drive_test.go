package client

import (
	"context"
	"net"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

const okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// serveOK answers every request on a connection.
func serveOK(c *transporttest.Conn) {
	for c.Request() {
		c.Send(okResponse)
	}
}

// to is a configuration that works for a plain server.
func to(address string) Config {
	return Config{Address: address, Sources: within(address, time.Minute), ConnectTimeout: time.Minute}
}

// within sends one request again and again, with a timeout.
func within(host string, timeout time.Duration) transport.Sources {
	return transport.Always(transport.Request{Bytes: []byte("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), Timeout: timeout})
}

// A driver plays a shard of the engine.
type driver struct {
	t         testing.TB
	target    *Target
	transport transport.Transport
	clock     *transport.Clock
	sent      int
	samples   []rundir.Sample
	next      uint64
	stats     *transport.Stats
}

func (d *driver) Sent(int64)            { d.sent++ }
func (d *driver) Done(s *rundir.Sample) { d.samples = append(d.samples, *s) }

// tryDrive prepares and opens.
func tryDrive(ctx context.Context, t testing.TB, c Config, connections, warm int) (*driver, error) {
	t.Helper()
	target, err := Prepare(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, target: target, clock: transport.NewClock()}
	d.transport, err = target.Open(ctx, transport.Options{Clock: d.clock, Observer: d, Connections: connections, Warm: warm})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { d.close() })
	return d, nil
}

func drive(t testing.TB, c Config, connections, warm int) *driver {
	t.Helper()
	d, err := tryDrive(t.Context(), t, c, connections, warm)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *driver) send() rundir.DropReason {
	d.next++
	return d.transport.Send(transport.Ticket{Index: d.next - 1, Scheduled: d.clock.Now()})
}

// until waits until n requests have ended.
func (d *driver) until(n int) {
	d.t.Helper()
	end := d.clock.Now() + int64(time.Minute)
	for len(d.samples) < n {
		if d.clock.Now() > end {
			d.t.Fatalf("waited in vain: %d of %d requests ended", len(d.samples), n)
		}
		d.wait(100 * time.Millisecond)
	}
}

func (d *driver) wait(most time.Duration) {
	d.t.Helper()
	if err := d.transport.Wait(d.clock.Now() + int64(most)); err != nil {
		d.t.Fatal(err)
	}
}

// exchange sends one request and returns what became of it.
func (d *driver) exchange() rundir.Sample {
	d.t.Helper()
	n := len(d.samples)
	if drop := d.send(); drop != rundir.DropNone {
		d.t.Fatalf("dropped: %v", drop)
	}
	d.until(n + 1)
	return d.samples[n]
}

// want checks the outcome of the next request.
func (d *driver) want(o rundir.Outcome) rundir.Sample {
	d.t.Helper()
	s := d.exchange()
	if s.Outcome != o {
		d.t.Errorf("outcome %v, want %v (last failure: %v)", s.Outcome, o, d.transport.(*Transport).failure)
	}
	return s
}

func (d *driver) close() transport.Stats {
	if d.stats == nil {
		stats, err := d.transport.Close()
		if err != nil {
			d.t.Error(err)
		}
		d.stats = &stats
	}
	return *d.stats
}

// port is that of host:port.
func port(t testing.TB, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
