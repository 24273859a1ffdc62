package reactor

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/httpwire"
)

func TestBusyPort(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "[::1]", ""} {
		l, err := Listen(host + ":0")
		if host == "[::1]" && (errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.EAFNOSUPPORT)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		addr := host + ":" + port
		second, err := Listen(addr)
		if err == nil {
			second.Close()
			t.Fatalf("two listeners on %s", addr)
		}
		if !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), "listen on "+addr+": ") {
			t.Errorf("error %q does not name %s and its being in use", err, addr)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if l, err = Listen(addr); err != nil {
			t.Errorf("after close: %v", err)
			continue
		}
		l.Close()
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:http-no-such", "127.0.0.1:70000", "[fe80::1%no-such-link]:0", "192.0.2.1:0"} {
		l, err := Listen(addr)
		if err == nil {
			l.Close()
			t.Errorf("%q: no error", addr)
		} else if !strings.Contains(err.Error(), addr) {
			t.Errorf("%q: error %q does not name it", addr, err)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Pipeline: -1, WriteTimeout: -time.Second}, ping{})
	if err == nil || !strings.Contains(err.Error(), "pipeline -1") || !strings.Contains(err.Error(), "write timeout") {
		t.Errorf("error %v does not name both faults", err)
	}
}

// The empty host takes both families.
func TestBothFamilies(t *testing.T) {
	t.Parallel()
	l, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "::1"} {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if host == "::1" && errors.Is(err, unix.EADDRNOTAVAIL) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		c.Close()
	}
}

// A drain answers what is in flight and what is half received, with
// Connection: close, closes what is idle, takes nothing new, and ends.
func TestDrain(t *testing.T) { eachSize(t, testDrain) }

func testDrain(t *testing.T, loops int) {
	h := mixed{newLater()}
	s := startLoops(t, loops, h, Config{})
	idle, waiting, half := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	idle.send(t, get("/now"))
	idle.want(t, "200 GET /now 0")
	waiting.send(t, get("/1")+get("/2"))
	first, second := <-h.tickets, <-h.tickets
	half.send(t, "POST /now HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab")
	s.await(t, func() bool {
		got := false
		s.onLoops(t, func(r *Reactor) {
			for _, c := range r.conns {
				got = got || len(c.body) == 2
			}
		})
		return got
	})
	s.stop()
	idle.wantEnd(t)
	s.onLoops(t, func(*Reactor) {}) // all of them have heard of it
	if _, err := net.Dial("tcp", s.addr); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("dial while draining: %v", err)
	}
	s.Complete(second, httpwire.Response{Body: []byte("2")})
	s.Complete(first, httpwire.Response{Body: []byte("1")})
	waiting.want(t, "200 1")
	waiting.want(t, "200 close 2")
	half.send(t, "cd")
	half.want(t, "200 close POST /now 4")
	half.wantEnd(t)
	waiting.wantEnd(t)
	waiting.Close()
	half.Close()
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
	if s.Post(func() { t.Error("ran after the end") }) {
		t.Error("posted after the end")
	}
	s.Complete(first, httpwire.Response{})
	if got := s.Stats(); got.Open != 0 || got.Stale != 1 || got.Broken != 0 {
		t.Errorf("%+v", got)
	}
}

// A drain under load resets no connection: each client sees whole answers
// until a close, or is refused at the door.
func TestDrainUnderLoad(t *testing.T) { eachSize(t, testDrainUnderLoad) }

func testDrainUnderLoad(t *testing.T, loops int) {
	s := startLoops(t, loops, echo{}, Config{})
	var clients sync.WaitGroup
	for range 8 {
		c := dial(t, s.addr)
		clients.Go(func() {
			for n := 0; ; n++ {
				if n == 100 {
					s.stop()
				}
				if _, err := io.WriteString(c, get("/")); err != nil {
					return // closed while idle
				}
				resp, err := http.ReadResponse(c.in, nil)
				if err != nil {
					if n < 1 {
						t.Error(err)
					}
					return // closed while idle, before the request was read
				}
				if _, err := io.ReadAll(resp.Body); err != nil {
					t.Errorf("after %d answers: %v", n, err)
				}
				resp.Body.Close()
				if resp.Close {
					return
				}
			}
		})
	}
	clients.Wait()
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
}

func TestDrainTimeoutCuts(t *testing.T) { eachSize(t, testDrainTimeoutCuts) }

func testDrainTimeoutCuts(t *testing.T, loops int) {
	h := newLater()
	s := startLoops(t, loops, h, Config{DrainTimeout: time.Millisecond})
	c := dial(t, s.addr)
	c.send(t, get("/never"))
	ticket := <-h.tickets
	s.stop()
	if err := <-s.done; err != nil {
		t.Fatal(err)
	}
	if got := <-h.canceled; got != (canceled{ticket, true}) {
		t.Errorf("canceled %+v", got)
	}
}

func TestTimersRunInOrder(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	var order strings.Builder
	done := make(chan struct{})
	s.onLoop(t, func() {
		// Each is due after those set before it, however slowly this runs.
		postponed := s.AfterFunc(time.Hour, func() { order.WriteString("b") })
		stopped := s.AfterFunc(0, func() { t.Error("a stopped timer ran") })
		s.AfterFunc(-1, func() { order.WriteString("a") })
		postponed.Reset(1)
		s.AfterFunc(200*time.Microsecond, func() { order.WriteString("c") })
		begin := s.Now()
		s.AfterFunc(3*time.Millisecond, func() {
			order.WriteString("d")
			if s.Now()-begin < 3*time.Millisecond {
				t.Error("early")
			}
			close(done)
		})
		if !stopped.Stop() || stopped.Stop() {
			t.Error("Stop reports true once")
		}
	})
	<-done
	if order.String() != "abcd" {
		t.Errorf("order %q", order.String())
	}
}

// A timer that sets itself anew for at once does not hold the loop.
func TestRestlessTimer(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	var restless *Timer
	s.onLoop(t, func() {
		restless = s.AfterFunc(0, func() { restless.Reset(0) })
	})
	c := dial(t, s.addr)
	c.send(t, get("/"))
	c.want(t, "200 pong")
	s.onLoop(t, func() { restless.Stop() })
}

func TestCloseWithoutRun(t *testing.T) {
	t.Parallel()
	r, err := New(Config{}, ping{})
	if err != nil {
		t.Fatal(err)
	}
	ran := false
	r.Post(func() { ran = true })
	if err := r.Close(); err != nil || !ran {
		t.Errorf("close: %v, posted call ran: %v", err, ran)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// Run gives its descriptors back.
func TestRunTwiceOnOnePort(t *testing.T) {
	t.Parallel()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	for range 2 {
		r, err := New(Config{}, ping{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- r.Run(ctx, l) }()
		c := dial(t, addr)
		c.send(t, get("/", "Connection: close"))
		c.want(t, "200 close pong")
		c.wantEnd(t)
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if l, err = Listen(addr); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
}
