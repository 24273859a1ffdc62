package engine

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
)

// discard is a sink that costs nothing.
type discard struct{}

func (discard) WriteSamples([]rundir.Sample) error { return nil }

// A request allocates nothing, once connections are open and the counters it
// needs exist: what a later second of a run allocates is no matter of its rate.
func TestRequestsAllocateNothing(t *testing.T) {
	address, _ := process(t)
	for name, open := range map[string]Open{"epoll": to(t, address, time.Minute), "client": by(t, address, time.Minute)} {
		t.Run(name, func(t *testing.T) {
			schedule, err := steps(t, 3*time.Second, 20_000).Among([]arrival.Function{{Name: "a", Share: 1}, {Name: "b", Share: 2}})
			if err != nil {
				t.Fatal(err)
			}
			var mallocs, ended []uint64
			var total uint64
			play(t, t.Context(), Config{
				Schedule: schedule, Open: open, Drain: time.Minute, Shards: 2,
				Connections: 256, MaxInFlight: 256, Sink: discard{}, Late: Late{Cap: 5},
				Interval: func(i rundir.Interval) {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					total += uint64(i.OK + i.Dropped)
					mallocs, ended = append(mallocs, m.Mallocs), append(ended, total)
				},
			})
			from, to := 0, 2 // the ends of the first second and of the third
			requests := ended[to] - ended[from]
			each := float64(mallocs[to]-mallocs[from]) / float64(requests)
			t.Logf("%d allocations in %d requests: %.4f each", mallocs[to]-mallocs[from], requests, each)
			if requests < 10_000 || each > 0.2 { // the rest are blocks of histograms, which a busy machine spreads
				t.Errorf("%.4f allocations a request in %d requests", each, requests)
			}
		})
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
				holdRate(b, address, c.rate, Precision{})
			}
		})
	}
}

// BenchmarkPrecision sets what each precision costs beside the lag it gives.
func BenchmarkPrecision(b *testing.B) {
	address := node(b)
	for _, rate := range []float64{2_000, 10_000} {
		for _, c := range []struct {
			name      string
			precision Precision
		}{{"exact", Precision{}}, {"quantum1ms", Precision{Quantum: time.Millisecond}}, {"spin", Precision{Spin: true}}} {
			b.Run(fmt.Sprintf("%gk/%s", rate/1000, c.name), func(b *testing.B) {
				for b.Loop() {
					holdRate(b, address, rate, c.precision)
				}
			})
		}
	}
}

func holdRate(b *testing.B, address string, rate float64, p Precision) {
	b.Helper()
	r, err := New(Config{
		Schedule: steps(b, 3*time.Second, rate), Open: to(b, address, 10*time.Second), Drain: 10 * time.Second,
		Connections: 100, MaxInFlight: 1024, Sink: discard{}, Precision: p,
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
