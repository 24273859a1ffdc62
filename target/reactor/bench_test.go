package reactor

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
	"edgebench/target/proctest"
)

func serveReactor() error { return serveLoops(1) }

func serveLoops(loops int) error {
	runtime.GOMAXPROCS(loops + 1) // as target's main does
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	r, err := New(Config{}, ping{})
	if err != nil {
		return err
	}
	for range loops - 1 {
		if err := r.Follow(ping{}); err != nil {
			return err
		}
	}
	fmt.Println(l.Addr())
	return r.Run(untilParentEnds(), l)
}

func serveFasthttp() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	s := fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/plain")
		ctx.SetBody(pong)
	}}
	ctx := untilParentEnds()
	go func() { <-ctx.Done(); os.Exit(0) }() // does not wait for idle connections
	return s.Serve(l)
}

func serveNetHTTP() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	s := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(pong)
	})}
	ctx := untilParentEnds()
	go func() { <-ctx.Done(); os.Exit(0) }()
	return s.Serve(l)
}

// BenchmarkPing sets the reactor beside fasthttp.Server and net/http: three
// processes on one core, one client on another, a slice of load for each in
// turn, so that whatever else the machine does meets them alike. Reported are
// the medians of the rates and, round by round, of the ratios; the processor
// time a request is less noisy than the rate.
//
// The rate is the closed loop's, of 64 connections with one request each.
func BenchmarkPing(b *testing.B) {
	names := []string{"reactor", "fasthttp", "nethttp"}
	serverCPU, clientCPU := twoCPUs(b)
	runtime.LockOSThread() // children inherit the affinity of the thread that starts them
	defer runtime.UnlockOSThread()
	defer pin(b, serverCPU, clientCPU)
	pin(b, serverCPU)
	loads := make([]*load, len(names))
	for i, name := range names {
		loads[i] = newLoad(b, startChild(b, name), 1)
	}
	pin(b, clientCPU)
	race(b, names, loads, 20_000)
}

// BenchmarkLoops sets two loops beside one. Server and client share whatever
// processors there are, so with two of them a client that costs as much as the
// server (one request at a time on each of 64 connections) leaves nothing to gain;
// one that sends 16 in a row costs a fraction, and shows what a second loop can do.
func BenchmarkLoops(b *testing.B) {
	names := []string{"two", "one"}
	for _, depth := range []int{1, 16} {
		b.Run(fmt.Sprint("depth-", depth), func(b *testing.B) {
			loads := make([]*load, len(names))
			for i, name := range []string{"twoLoops", "reactor"} {
				loads[i] = newLoad(b, startChild(b, name), depth)
			}
			race(b, names, loads, depth*20_000)
		})
	}
}

// race gives each load a slice of requests in turn.
func race(b *testing.B, names []string, loads []*load, slice int) {
	rates, costs := make([][]float64, len(names)), make([][]float64, len(names))
	n := float64(slice)
	for b.Loop() {
		for i, l := range loads {
			cpu, begin := proctest.CPU(b, l.server.pid), time.Now()
			l.run(b, slice)
			rates[i] = append(rates[i], n/time.Since(begin).Seconds())
			costs[i] = append(costs[i], (proctest.CPU(b, l.server.pid)-cpu).Seconds()*1e6/n)
		}
	}
	for i, name := range names {
		b.ReportMetric(median(rates[i]), name+"-rps")
		b.ReportMetric(median(costs[i]), name+"-cpu-µs")
		if i > 0 {
			b.ReportMetric(median(ratios(rates[0], rates[i])), "rps/"+name)
			b.ReportMetric(median(ratios(costs[0], costs[i])), "cpu/"+name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func twoCPUs(b *testing.B) (first, second int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		b.Fatal(err)
	}
	if set.Count() < 2 {
		b.Skip("needs a processor for the server and one for the client")
	}
	var cpus []int
	for cpu := 0; len(cpus) < 2; cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus[0], cpus[1]
}

func pin(b *testing.B, cpus ...int) {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		b.Fatal(err)
	}
}

// A load keeps so many requests on each of its connections.
type load struct {
	requests []byte // what is sent at once
	depth    int    // of these
	server   child
	poller   *epoll.Poller
	fds      []int
	got      []int // bytes of the response that is arriving
	response int   // bytes of the responses to what is sent at once
	events   []epoll.Event
	buf      []byte
}

var loadRequest = []byte("GET /ping HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")

func newLoad(b *testing.B, server child, depth int) *load {
	l := &load{requests: bytes.Repeat(loadRequest, depth), depth: depth, server: server,
		events: make([]epoll.Event, 64), buf: make([]byte, 64<<10)}
	var err error
	if l.poller, err = epoll.Open(64); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.poller.Close() })
	for i := range 64 {
		c := dial(b, server.addr)
		c.send(b, string(loadRequest))
		if l.response, err = c.Read(l.buf); err != nil {
			b.Fatal(err)
		}
		file, err := c.File()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { file.Close() })
		l.fds = append(l.fds, int(file.Fd()))
		if err := unix.SetNonblock(l.fds[i], true); err != nil {
			b.Fatal(err)
		}
		if err := l.poller.Add(l.fds[i], epoll.In|epoll.Edge, uint64(i)); err != nil {
			b.Fatal(err)
		}
	}
	l.got = make([]int, len(l.fds))
	l.response *= depth
	return l
}

func (l *load) run(b *testing.B, n int) {
	for i := range l.fds {
		l.send(b, i)
	}
	sent, done := l.depth*len(l.fds), 0
	for done < n {
		ready, err := l.poller.Wait(l.events, epoll.Forever)
		if err != nil {
			b.Fatal(err)
		}
		for _, ev := range l.events[:ready] {
			i := int(ev.Token)
			k, err := epoll.Receive(l.fds[i], l.buf)
			if err != nil || k == 0 {
				b.Fatalf("connection %d: %d bytes, %v", i, k, err)
			}
			if l.got[i] += k; l.got[i] < l.response {
				continue
			}
			l.got[i] = 0
			done += l.depth
			if sent < n {
				l.send(b, i)
				sent += l.depth
			}
		}
	}
}

func (l *load) send(b *testing.B, i int) {
	if _, err := epoll.Send(l.fds[i], l.requests); err != nil {
		b.Fatal(err)
	}
}
