package client

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/loadgen/transport/transporttest"
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
func process(t testing.TB, a *transporttest.Authority) (address string) {
	t.Helper()
	a.Sign("server", time.Now().Add(time.Hour), "127.0.0.1")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"="+filepath.Dir(a.File))
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
func hold(t testing.TB, a *transporttest.Authority, address string, rate float64, length time.Duration, connections, inFlight int) engine.Result {
	t.Helper()
	c := to(address)
	c.TLS = &TLS{CAFile: a.File}
	target, err := Prepare(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := arrival.NewSchedule([]arrival.Phase{{Name: "a", Cycle: 1, Length: length, Curve: arrival.Constant(rate)}}, arrival.Even{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := engine.New(engine.Config{
		Schedule: schedule, Open: target.Open, Drain: time.Minute, Connections: connections, MaxInFlight: inFlight,
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
	a := transporttest.NewAuthority(t)
	res := hold(t, a, process(t, a), 500, time.Second, 20, 500)
	if res.Total.OK() != 500 || res.Total.Sent() != 500 || res.Connections.HandshakeTime.N < 20 {
		t.Errorf("ok %d of %d, dropped %v, errors %v, %+v", res.Total.OK(), res.Total.Scheduled, res.Total.DroppedByReason(), res.Total.ErrorsByClass(), res.Connections)
	}
}

const (
	connections = 64              // of fasthttp's client, and requests in flight of ours in capacity
	inFlight    = 256             // of the open loop, all warm: a pause of the server's must cost no handshakes
	round       = 1 * time.Second // of each measurement
)

// BenchmarkTLS sets the rate held over TLS beside what fasthttp's own client
// does in a closed loop, in turns against one server. The figures to look for
// are a capacity (this transport in a closed loop as wide, on one thread) of
// 0.8 and more, and 0.99 of a rate of 0.8 held.
func BenchmarkTLS(b *testing.B) {
	a := transporttest.NewAuthority(b)
	address := process(b, a)
	b.Run("capacity", func(b *testing.B) {
		var ratios, theirs, ours, spent, used []float64
		for b.Loop() {
			rate, cpu := closedLoop(b, a, address)
			theirs, spent = append(theirs, rate), append(spent, cpu)
			rate, cpu = capacity(b, a, address)
			ours, used = append(ours, rate), append(used, cpu)
			ratios = append(ratios, ours[len(ours)-1]/theirs[len(theirs)-1])
		}
		b.ReportMetric(median(theirs), "fasthttp/s")
		b.ReportMetric(median(spent), "fasthttp-cpu-s/100k")
		b.ReportMetric(median(ours), "ok/s")
		b.ReportMetric(median(used), "cpu-s/100k")
		b.ReportMetric(median(ratios), "ratio")
		b.ReportMetric(0, "ns/op")
	})
	for _, share := range []float64{0.5, 0.8, 1} {
		b.Run(fmt.Sprintf("open-%.1f", share), func(b *testing.B) {
			var theirs, ours, held, used, lag50, lag99, p50, p99, dropped []float64
			for b.Loop() {
				rate, _ := closedLoop(b, a, address)
				before := processorTime(b)
				res := hold(b, a, address, share*rate, round, inFlight, inFlight)
				ok := float64(res.Total.OK())
				used = append(used, (processorTime(b)-before).Seconds()/ok*1e5)
				theirs, ours = append(theirs, rate), append(ours, ok/max(res.Ended, round).Seconds())
				held = append(held, ours[len(ours)-1]/(share*rate))
				lag50, lag99 = append(lag50, float64(res.Total.Lag.Quantile(0.5))/1e3), append(lag99, float64(res.Total.Lag.Quantile(0.99))/1e3)
				p50, p99 = append(p50, float64(res.Total.Response.Quantile(0.5))/1e3), append(p99, float64(res.Total.Response.Quantile(0.99))/1e3)
				dropped = append(dropped, 1-ok/float64(res.Total.Scheduled))
			}
			for unit, values := range map[string][]float64{
				"fasthttp/s": theirs, "ok/s": ours, "held": held, "cpu-s/100k": used, "not-ok": dropped,
				"lag-p50-µs": lag50, "lag-p99-µs": lag99, "p50-µs": p50, "p99-µs": p99,
			} {
				b.ReportMetric(median(values), unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// capacity is the rate of this transport in a closed loop, and its processor
// time for 100,000 requests.
func capacity(b *testing.B, a *transporttest.Authority, address string) (rate, spent float64) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := to(address)
	c.TLS, c.Sources = &TLS{CAFile: a.File}, within(address, 10*time.Second)
	d := drive(b, c, connections, connections)
	defer d.close()
	before, began := processorTime(b), d.clock.Now()
	end, done := began+int64(round), 0
	for range connections {
		d.send()
	}
	for d.clock.Now() < end {
		d.wait(round)
		for _, s := range d.samples {
			if s.Outcome != rundir.OK {
				b.Fatal(s.Outcome)
			}
			d.send()
		}
		done += len(d.samples)
		d.samples = d.samples[:0]
	}
	n := float64(done)
	return n / time.Duration(d.clock.Now()-began).Seconds(), (processorTime(b) - before).Seconds() / n * 1e5
}

// closedLoop is the rate of fasthttp's own client, and its processor time for
// 100,000 requests.
func closedLoop(b *testing.B, a *transporttest.Authority, address string) (rate, spent float64) {
	b.Helper()
	client := &fasthttp.HostClient{
		Addr: address, IsTLS: true, TLSConfig: &tls.Config{RootCAs: a.Pool(), ServerName: "127.0.0.1"},
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
			for end := (<-start).Add(round); time.Now().Before(end) && err == nil; {
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
