package engine

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
)

// discard is a sink that costs nothing.
type discard struct{}

func (discard) WriteSamples([]rundir.Sample) error { return nil }

// A request allocates nothing, once connections are open and the counters it
// needs exist: what a later second of a run allocates is no matter of its rate.
func TestRequestsAllocateNothing(t *testing.T) {
	address := process(t)
	var mallocs, ended []uint64
	var total uint64
	play(t, t.Context(), Config{
		Schedule: steps(t, 4*time.Second, 20_000), Open: to(t, address, time.Minute), Drain: time.Minute,
		Connections: 256, MaxInFlight: 256, Sink: discard{},
		Interval: func(i rundir.Interval) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			total += uint64(i.OK + i.Dropped)
			mallocs, ended = append(mallocs, m.Mallocs), append(ended, total)
		},
	})
	from, to := 0, 3 // the ends of the first second and of the fourth
	requests := ended[to] - ended[from]
	each := float64(mallocs[to]-mallocs[from]) / float64(requests)
	t.Logf("%d allocations in %d requests: %.4f each", mallocs[to]-mallocs[from], requests, each)
	if requests < 10_000 || each > 0.05 {
		t.Errorf("%.4f allocations a request in %d requests", each, requests)
	}
}

// Two stalls of a server that otherwise answers at once: of the requests sent
// during a stall of length D, evenly spaced, the one sent at x waits D − x. A
// share f of all requests is sent during stalls, so the quantile q of the
// response times is D·(1 − (1−q)/f), and no closed loop would see it.
func TestStallsAreMeasuredInFull(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 4 s")
	}
	t.Parallel()
	const rate = 1000
	server := newStalling(600, 2400)
	address := server.start(t)
	var kept rows
	res := play(t, t.Context(), Config{
		Schedule: steps(t, 3600*time.Millisecond, rate), Open: to(t, address, time.Minute), Drain: time.Minute,
		Connections: 600, Sink: &kept,
	})
	stalls := server.stalls()
	if res.Total.OK() != 3600 || len(stalls) != 2 {
		t.Fatalf("ok %d of 3600, %d stalls, errors %v, dropped %v", res.Total.OK(), len(stalls), res.Total.ErrorsByClass(), res.Total.DroppedByReason())
	}
	var stalled time.Duration
	for _, stall := range stalls {
		begin, end := stall.begin.Sub(res.Zero), stall.end.Sub(res.Zero)
		stalled += end - begin
		checkStall(t, kept.samples, begin, end)
	}
	mean := float64(stalled) / 2
	share := stalled.Seconds() * rate / 3600
	// Other load on the machine is a stall too, and adds to these; nothing takes
	// away from them.
	quiet := res.Total.Lag.Quantile(0.99) < int64(5*time.Millisecond)
	for _, q := range []float64{0.9, 0.95, 0.99} {
		want := mean * (1 - (1-q)/share)
		got := float64(res.Total.Response.Quantile(q))
		t.Logf("p%g: %.1f ms, analytic %.1f ms, quiet %v", 100*q, got/1e6, want/1e6, quiet)
		if got < want-0.02*mean || quiet && got > want+0.15*mean {
			t.Errorf("p%g: %.1f ms, want %.1f ms of stalls of %.1f ms", 100*q, got/1e6, want/1e6, mean/1e6)
		}
	}
}

// checkStall checks every request scheduled in a stall: none was answered
// before its end, and there are as many as the schedule has.
func checkStall(t *testing.T, samples []rundir.Sample, begin, end time.Duration) {
	t.Helper()
	n := 0
	for _, s := range samples {
		if s.Scheduled < int64(begin) || s.Scheduled > int64(end) {
			continue
		}
		n++
		if s.Done < int64(end) {
			t.Fatalf("request %d, scheduled %v into a stall of %v, is done %v before its end", s.Index,
				time.Duration(s.Scheduled)-begin, end-begin, end-time.Duration(s.Done))
		}
	}
	planned := int(end/time.Millisecond) - int(begin/time.Millisecond)
	if n < planned-1 || n > planned+1 {
		t.Errorf("%d requests scheduled in %v, the schedule has %d", n, end-begin, planned)
	}
}

// BenchmarkOpenLoop holds rates against /ping of the bundled node and reports
// what was achieved of them, the lag, and the generator's own processor time.
// The rates to look for are 20,000/s everywhere and 100,000/s on two idle cores.
func BenchmarkOpenLoop(b *testing.B) {
	address := node(b)
	for _, c := range []struct {
		name string
		rate float64
	}{{"2k", 2_000}, {"10k", 10_000}, {"20k", 20_000}, {"50k", 50_000}, {"100k", 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				holdRate(b, address, c.rate)
			}
		})
	}
}

func holdRate(b *testing.B, address string, rate float64) {
	b.Helper()
	r, err := New(Config{
		Schedule: steps(b, 3*time.Second, rate), Open: to(b, address, 10*time.Second), Drain: 10 * time.Second,
		Connections: 100, MaxInFlight: 1024, Sink: discard{},
	})
	if err != nil {
		b.Fatal(err)
	}
	before := processorTime(b)
	res, err := r.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	spent := processorTime(b) - before
	// Until the last answer: a generator that is behind ends late.
	b.ReportMetric(float64(res.Total.OK())/res.Ended.Seconds(), "ok/s")
	b.ReportMetric(float64(res.Total.OK())/res.Ended.Seconds()/rate, "held")
	b.ReportMetric(float64(res.Total.Lag.Quantile(0.5))/1e3, "lag-p50-µs")
	b.ReportMetric(float64(res.Total.Lag.Quantile(0.99))/1e3, "lag-p99-µs")
	b.ReportMetric(float64(res.Total.Response.Quantile(0.5))/1e3, "p50-µs")
	b.ReportMetric(float64(res.Total.Response.Quantile(0.99))/1e3, "p99-µs")
	b.ReportMetric(spent.Seconds()/float64(res.Total.OK())*1e5, "cpu-s/100k")
	b.ReportMetric(0, "ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
