package client

import (
	"context"
	"errors"
	"fmt"
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

var _ transport.Transport = (*Transport)(nil)

// secured is a TLS server and a configuration for it.
func secured(t *testing.T, script func(*transporttest.Conn)) (*transporttest.Server, Config) {
	t.Helper()
	a := transporttest.NewAuthority(t)
	server := serveTLS(t, a.Server("127.0.0.1"), script)
	c := to(server.Address())
	c.TLS = &TLS{CAFile: a.File}
	return server, c
}

// Many records, of which one read takes several and none takes all.
func TestLargeResponse(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0123456789abcdef", 1<<16)
	server, c := secured(t, func(c *transporttest.Conn) {
		for c.Request() {
			c.Send(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body)) + body)
		}
	})
	d := drive(t, c, 1, 1)
	for range 5 {
		if s := d.want(rundir.OK); s.Bytes < int64(len(body)) {
			t.Errorf("%d bytes", s.Bytes)
		}
	}
	if server.Connections() != 1 {
		t.Errorf("%d connections", server.Connections())
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response string
		want     rundir.Outcome
	}{
		"header at the limit": {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + strings.Repeat("h", 100-43) + "\r\n\r\n", rundir.OK},
		"header":              {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + strings.Repeat("h", 101-43) + "\r\n\r\n", rundir.ErrHeaderTooLarge},
		"length":              {"HTTP/1.1 200 OK\r\nContent-Length: 201\r\n\r\n", rundir.ErrBodyTooLarge},
		"chunks":              {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc9\r\n", rundir.ErrBodyTooLarge},
		"to the close":        {"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("b", 201), rundir.ErrBodyTooLarge},
		"body at the limit":   {"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + strings.Repeat("b", 200), rundir.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, config := secured(t, func(conn *transporttest.Conn) {
				conn.Request()
				conn.Send(c.response)
				conn.Drain()
			})
			config.HeaderLimit, config.BodyLimit = 100, 200
			drive(t, config, 1, 0).want(c.want)
		})
	}
}

func TestOneRequest(t *testing.T) {
	t.Parallel()
	server, c := secured(t, serveOK)
	c.OneRequest = true
	d := drive(t, c, 2, 2)
	for range 6 {
		d.want(rundir.OK)
	}
	if stats := d.close(); server.Connections() != 6 || stats.Connects != 6 || stats.Reconnects != 0 || stats.IdleClosed != 0 {
		t.Errorf("%d connections, %+v", server.Connections(), stats)
	}
}

// A transport that closes ends its connects, and tells what waited for them.
func TestCloseWhileConnecting(t *testing.T) {
	t.Parallel()
	begun := make(chan bool, 3)
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		begun <- true
		c.Drain()
	})
	c := to(server.Address())
	c.TLS = &TLS{Insecure: true}
	d := drive(t, c, 3, 0)
	for range 3 {
		d.send()
	}
	d.wait(0)
	for range 3 {
		<-begun
	}
	d.close()
	if len(d.samples) != 3 || d.sent != 0 {
		t.Fatalf("%d sent, %+v", d.sent, d.samples)
	}
	for _, s := range d.samples {
		if s.Outcome != rundir.Dropped || s.Drop != rundir.DropNoConnection {
			t.Errorf("%+v", s)
		}
	}
}

func TestWarmingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := transporttest.Serve(t, func(c *transporttest.Conn) {
		cancel()
		c.Drain()
	})
	c := to(server.Address())
	c.TLS, c.ConnectTimeout = &TLS{Insecure: true}, time.Hour
	if _, err := tryDrive(ctx, t, c, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	t.Parallel()
	for _, n := range [][2]int{{0, 0}, {1, 2}, {1, -1}} {
		if _, err := tryDrive(t.Context(), t, to("127.0.0.1:1"), n[0], n[1]); err == nil || !strings.Contains(err.Error(), "connections") {
			t.Errorf("%v: error %v", n, err)
		}
	}
}

// Wake ends a Wait that nothing else would.
func TestWake(t *testing.T) {
	t.Parallel()
	d := drive(t, to(transporttest.Serve(t, serveOK).Address()), 1, 1)
	ended := make(chan error)
	go func() { ended <- d.transport.Wait(d.clock.Now() + int64(time.Hour)) }()
	if err := d.transport.Wake(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What crypto/tls allocates for a record is not ours to spare; nothing else is
// allocated for a request.
func TestRequestsAllocateNothing(t *testing.T) {
	// A fixed answer whatever it reads: this test counts its own process's allocations.
	script := func(c *transporttest.Conn) {
		request, answer := make([]byte, 1024), []byte("HTTP/1.1 200 OK\r\nX-Path: warm\r\nX-Worker-Id: 1\r\nContent-Length: 2\r\n\r\nok")
		for {
			if _, err := c.Read(request); err != nil {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	}
	_, secure := secured(t, script)
	for name, c := range map[string]struct {
		config Config
		most   float64 // for TLS those of the server, and of a read of ours, which fill in a reader each
	}{"plain": {to(transporttest.Serve(t, script).Address()), 0}, "TLS": {secure, 8}} {
		d := drive(t, c.config, 4, 4)
		n := testing.AllocsPerRun(1000, func() {
			d.samples = d.samples[:0]
			d.exchange()
		})
		t.Logf("%s: %g allocations a request", name, n)
		if n > c.most {
			t.Errorf("%s: %g allocations a request, want at most %g", name, n, c.most)
		}
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
	server, _ := secured(t, serveOK)
	cmd := exec.Command(os.Args[0], "-test.run=^TestFilesExhausted$", "-test.v")
	cmd.Env = append(os.Environ(), fewFilesVariable+"="+server.Address())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all accounted for") {
		t.Errorf("%v\n%s", err, out)
	}
}

const fewFilesVariable = "CLIENT_TEST_FEW_FILES"

func fewFiles(t *testing.T, address string) {
	limit := unix.Rlimit{Cur: 64, Max: 64}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	c := to(address)
	c.TLS = &TLS{Insecure: true}
	d := drive(t, c, 1000, 10)
	for i := range 200 {
		if drop := d.send(); drop != rundir.DropNone {
			t.Errorf("request %d: dropped as %v", i, drop)
		}
	}
	d.until(200)
	dropped, taken := 0, 0
	for _, s := range d.samples {
		switch {
		case s.Outcome == rundir.Dropped && s.Drop == rundir.DropFDExhausted:
			dropped++
		case s.Outcome == rundir.OK:
			taken++
		default:
			t.Errorf("request %d: %v, drop %v", s.Index, s.Outcome, s.Drop)
		}
	}
	if dropped == 0 || taken < 10 || d.sent != taken {
		t.Errorf("%d taken, %d dropped, %d sent", taken, dropped, d.sent)
	}
	d.close()
	fmt.Println("all accounted for")
}
