package epoll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, func(s transporttest.Setup) (transport.Transport, error) {
		target, err := Prepare(t.Context(), Config{
			Address: s.Address, Sources: s.Sources(), ConnectTimeout: s.Timeout, ColdHeader: s.ColdHeader,
		})
		if err != nil {
			return nil, err
		}
		return target.Open(t.Context(), s.Options)
	})
}

// to is a configuration that works for a plain server.
func to(address string) Config {
	return Config{
		Address: address, ConnectTimeout: time.Minute,
		Sources: transport.Always(transport.Request{Bytes: []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), Timeout: time.Minute}),
	}
}

func TestPrepareFaults(t *testing.T) {
	t.Parallel()
	good := to("127.0.0.1:80")
	for want, change := range map[string]func(*Config){
		"no address":               func(c *Config) { c.Address = "" },
		"no requests":              func(c *Config) { c.Sources = nil },
		"connect timeout 0s":       func(c *Config) { c.ConnectTimeout = 0 },
		"must not be negative":     func(c *Config) { c.BodyLimit = -1 },
		`address "127.0.0.1"`:      func(c *Config) { c.Address = "127.0.0.1" },
		`address "[::1:80"`:        func(c *Config) { c.Address = "[::1:80" },
		`address "127.0.0.1:http2`: func(c *Config) { c.Address = "127.0.0.1:http2" },
		`address "127.0.0.1:70000`: func(c *Config) { c.Address = "127.0.0.1:70000" },
	} {
		c := good
		change(&c)
		if _, err := Prepare(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := Prepare(t.Context(), good); err != nil {
		t.Error(err)
	}
	if _, err := Prepare(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "no address\nno requests: nothing says what to send\nconnect timeout 0s") {
		t.Errorf("the faults do not come together: %v", err)
	}
}

// watcher is an observer that counts.
type watcher struct {
	sent, done int
	outcomes   [rundir.NumOutcomes]int
	drops      [rundir.NumDropReasons]int
}

func (w *watcher) Sent(int64) { w.sent++ }
func (w *watcher) Done(s *rundir.Sample) {
	w.done++
	w.outcomes[s.Outcome]++
	w.drops[s.Drop]++
}

// opened is a transport to an address with n connections, warm.
func opened(t *testing.T, address string, n int) (transport.Transport, *transport.Clock, *watcher) {
	t.Helper()
	target, err := Prepare(t.Context(), to(address))
	if err != nil {
		t.Fatal(err)
	}
	clock, w := transport.NewClock(), &watcher{}
	tr, err := target.Open(t.Context(), transport.Options{Clock: clock, Observer: w, Connections: n, Warm: n})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = tr.Close() })
	return tr, clock, w
}

func serveOK(c *transporttest.Conn) {
	for c.Request() {
		c.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	}
}

func TestSendAndWaitAllocateNothing(t *testing.T) {
	// A fixed answer whatever it reads: this test counts its own process's allocations.
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		request, answer := make([]byte, 1024), []byte("HTTP/1.1 200 OK\r\nX-Path: warm\r\nX-Worker-Id: 1\r\nContent-Length: 2\r\n\r\nok")
		for {
			if _, err := c.Read(request); err != nil {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	})
	tr, clock, w := opened(t, server.Address(), 4)
	n := testing.AllocsPerRun(1000, func() {
		tr.Send(transport.Ticket{Scheduled: clock.Now()})
		for before := w.done; w.done == before; {
			if err := tr.Wait(clock.Now() + int64(time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 || w.outcomes[rundir.OK] != w.done {
		t.Errorf("%g allocations a request, outcomes %v", n, w.outcomes)
	}
}

func TestIPv6(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	defer listener.Close()
	tr, _, _ := opened(t, listener.Addr().String(), 2)
	if stats, err := tr.Close(); err != nil || stats.Connects != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestWarmingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	target, err := Prepare(t.Context(), to("127.0.0.1:9"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = target.Open(ctx, transport.Options{Clock: transport.NewClock(), Observer: &watcher{}, Connections: 1, Warm: 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// wakes checks that Wake ends a Wait that nothing else would.
func TestWake(t *testing.T) {
	t.Parallel()
	server := transporttest.Serve(t, serveOK)
	tr, clock, _ := opened(t, server.Address(), 1)
	ended := make(chan error)
	go func() { ended <- tr.Wait(clock.Now() + int64(time.Hour)) }()
	if err := tr.Wake(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// C57: fewer files than connections. What cannot be opened is dropped with its
// reason, the rest goes on. In a process of its own, since the limit is one of
// the process.
func TestFilesExhausted(t *testing.T) {
	if address := os.Getenv(fewFilesVariable); address != "" {
		fewFiles(t, address)
		return
	}
	t.Parallel()
	server := transporttest.Serve(t, serveOK)
	cmd := exec.Command(os.Args[0], "-test.run=^TestFilesExhausted$", "-test.v")
	cmd.Env = append(os.Environ(), fewFilesVariable+"="+server.Address())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all accounted for") {
		t.Errorf("%v\n%s", err, out)
	}
}

const fewFilesVariable = "EPOLL_TEST_FEW_FILES"

func fewFiles(t *testing.T, address string) {
	limit := unix.Rlimit{Cur: 64, Max: 64}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	target, err := Prepare(t.Context(), to(address))
	if err != nil {
		t.Fatal(err)
	}
	clock, w := transport.NewClock(), &watcher{}
	tr, err := target.Open(t.Context(), transport.Options{Clock: clock, Observer: w, Connections: 1000, Warm: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if drop := tr.Send(transport.Ticket{Index: uint64(i), Scheduled: clock.Now()}); drop != rundir.DropNone {
			t.Errorf("request %d: dropped as %v", i, drop)
		}
	}
	for w.done < 200 {
		if err := tr.Wait(clock.Now() + int64(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	dropped, ok := w.drops[rundir.DropFDExhausted], w.outcomes[rundir.OK]
	if dropped == 0 || ok < 20 || ok+dropped != 200 || w.sent != ok {
		t.Errorf("%d ok, %d dropped, outcomes %v, drops %v", ok, dropped, w.outcomes, w.drops)
	}
	if _, err := tr.Close(); err != nil {
		t.Error(err)
	}
	fmt.Println("all accounted for")
}
