package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/client"
	"edgebench/loadgen/transport/epoll"
	"edgebench/loadgen/transport/transporttest"
	"edgebench/profiles/arrival"
)

const okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// steps is a schedule of one phase a rate, evenly spaced, each of one length.
func steps(t testing.TB, length time.Duration, rates ...float64) *arrival.Schedule {
	t.Helper()
	var phases []arrival.Phase
	for i, rate := range rates {
		phases = append(phases, arrival.Phase{Name: string(rune('a' + i)), Cycle: 1, Length: length, Curve: arrival.Constant(rate)})
	}
	s, err := arrival.NewSchedule(phases, arrival.Even{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ping are requests for /ping at an address.
func ping(address string, timeout time.Duration) transport.Sources {
	return transport.Always(transport.Request{
		Bytes: []byte("GET /ping HTTP/1.1\r\nHost: " + address + "\r\n\r\n"), Timeout: timeout,
	})
}

// to opens epoll transports to an address.
func to(t testing.TB, address string, timeout time.Duration) Open {
	t.Helper()
	target, err := epoll.Prepare(t.Context(), epoll.Config{Address: address, ConnectTimeout: timeout, Sources: ping(address, timeout)})
	if err != nil {
		t.Fatal(err)
	}
	return target.Open
}

// by opens client transports to an address.
func by(t testing.TB, address string, timeout time.Duration) Open {
	t.Helper()
	target, err := client.Prepare(t.Context(), client.Config{Address: address, ConnectTimeout: timeout, Sources: ping(address, timeout)})
	if err != nil {
		t.Fatal(err)
	}
	return target.Open
}

// echo answers every request.
func echo(c *transporttest.Conn) {
	for c.Request() {
		c.Send(okResponse)
	}
}

// silent reads requests and never answers.
func silent(c *transporttest.Conn) {
	for c.Request() {
	}
}

// rows is a sink that keeps everything.
type rows struct {
	mu      sync.Mutex
	samples []rundir.Sample
	err     error
}

func (r *rows) WriteSamples(samples []rundir.Sample) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	r.samples = append(r.samples, samples...)
	return nil
}

// indices are those of all rows, in order.
func (r *rows) indices() []uint64 {
	var all []uint64
	for _, s := range r.samples {
		all = append(all, s.Index)
	}
	slices.Sort(all)
	return all
}

// play runs a configuration that must not fail.
func play(t *testing.T, ctx context.Context, c Config) Result {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

var _ transport.Transport = (*epoll.Transport)(nil)
