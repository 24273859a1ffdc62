package client

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"edgebench/loadgen/engine"
	"edgebench/profiles/arrival"
)

// serveVariable makes the test binary a TLS server of its own process: what a
// run costs is measured without the cost of answering it.
const serveVariable = "CLIENT_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		serve(dir)
		return
	}
	os.Exit(m.Run())
}

// serve answers with the certificate of a folder until its standard input
// ends, which it does with the test.
func serve(dir string) {
	runtime.GOMAXPROCS(1)
	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	body := []byte("pong")
	_ = fasthttp.Serve(listener, func(ctx *fasthttp.RequestCtx) { ctx.SetBody(body) })
}

// process starts a server in a process of its own, with a certificate of a's.
func process(t testing.TB, a *authority) (address string) {
	t.Helper()
	a.sign("server", time.Now().Add(time.Hour), "127.0.0.1")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"="+a.dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	address, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("no address from the server process: %v", err)
	}
	return strings.TrimSpace(address)
}

// hold plays an even rate over TLS through the engine.
func hold(t testing.TB, a *authority, address string, rate float64, length time.Duration, connections int) engine.Result {
	t.Helper()
	c := to(address)
	c.TLS, c.Timeout = &TLS{CAFile: a.file}, 10*time.Second
	target, err := Prepare(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := arrival.NewSchedule([]arrival.Phase{{Name: "a", Cycle: 1, Length: length, Curve: arrival.Constant(rate)}}, arrival.Even{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := engine.New(engine.Config{
		Schedule: schedule, Open: target.Open, Drain: 10 * time.Second, Connections: connections, MaxInFlight: 16 * connections,
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The engine and this transport together: everything scheduled is accounted
// for, and everything over TLS.
func TestRunOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	res := hold(t, a, process(t, a), 500, time.Second, 20)
	if res.Total.OK() != 500 || res.Total.Sent() != 500 || res.Connections.HandshakeTime.N < 20 {
		t.Errorf("ok %d of %d, dropped %v, errors %v, %+v", res.Total.OK(), res.Total.Scheduled, res.Total.DroppedByReason(), res.Total.ErrorsByClass(), res.Connections)
	}
}

// BenchmarkTLS sets the rate held over TLS beside what fasthttp's own client
// does in a closed loop with as many connections, in turns against one server.
// The ratio to look for is 0.8 and more, with 0.99 of the rate held.
func BenchmarkTLS(b *testing.B) {
	const connections, length = 64, 3 * time.Second
	a := newAuthority(b)
	address := process(b, a)
	for _, share := range []float64{0.5, 0.8, 1, 1.2} {
		b.Run(fmt.Sprintf("%.1f", share), func(b *testing.B) {
			var closed, ok, wanted, held float64
			for b.Loop() {
				theirs, spent := closedLoop(b, a, address, connections, length)
				closed += theirs
				b.ReportMetric(spent, "fasthttp-cpu-s/100k")
				before := processorTime(b)
				res := hold(b, a, address, share*theirs, length, connections)
				used := processorTime(b) - before
				rate := float64(res.Total.OK()) / max(res.Ended, length).Seconds()
				ok, wanted, held = ok+rate, wanted+share*theirs, held+rate/(share*theirs)
				b.ReportMetric(used.Seconds()/float64(res.Total.OK())*1e5, "cpu-s/100k")
				b.ReportMetric(float64(res.Total.Lag.Quantile(0.5))/1e3, "lag-p50-µs")
				b.ReportMetric(float64(res.Total.Lag.Quantile(0.99))/1e3, "lag-p99-µs")
				b.ReportMetric(float64(res.Total.Response.Quantile(0.5))/1e3, "p50-µs")
				b.ReportMetric(float64(res.Total.Response.Quantile(0.99))/1e3, "p99-µs")
				if n := res.Total.Scheduled - res.Total.OK(); n > 0 {
					b.Logf("not ok: %v %v", res.Total.DroppedByReason(), res.Total.ErrorsByClass())
				}
			}
			n := float64(b.N)
			b.ReportMetric(closed/n, "fasthttp/s")
			b.ReportMetric(ok/n, "ok/s")
			b.ReportMetric(held/n, "held")
			b.ReportMetric(ok/closed, "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// closedLoop is the rate of fasthttp's own client, and its processor time for
// 100,000 requests.
func closedLoop(b *testing.B, a *authority, address string, connections int, length time.Duration) (rate, spent float64) {
	b.Helper()
	client := &fasthttp.HostClient{
		Addr: address, IsTLS: true, TLSConfig: &tls.Config{RootCAs: a.pool(), ServerName: "127.0.0.1"},
		MaxConns: connections, MaxIdemponentCallAttempts: 1, ReadTimeout: 10 * time.Second,
	}
	defer client.CloseIdleConnections()
	var done atomic.Int64
	var workers, warm sync.WaitGroup
	warm.Add(connections)
	start := make(chan time.Time)
	for range connections {
		workers.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			request.SetRequestURI("https://" + address + "/")
			err := client.Do(&request, &response)
			warm.Done()
			for end := (<-start).Add(length); time.Now().Before(end) && err == nil; {
				if err = client.Do(&request, &response); err == nil {
					done.Add(1)
				}
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	warm.Wait()
	before, began := processorTime(b), time.Now()
	for range connections {
		start <- began
	}
	workers.Wait()
	n := float64(done.Load())
	return n / time.Since(began).Seconds(), (processorTime(b) - before).Seconds() / n * 1e5
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var _ engine.Open = (*Target)(nil).Open
