package net_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/net"
)

// The unit is a timed event: an arrival or the end of a service; immediate
// firings come on top. Rates are per second of CPU time: the machine's other
// work must not count.
func benchmark(b *testing.B, n *net.Net) {
	s := compile(b, n).New(1)
	if err := s.Run(b.Context(), net.Plan{Events: 1_000_000}); err != nil {
		b.Fatal(err)
	}
	events, firings, before := s.Events(), s.Firings(), cpuSeconds(b)
	const step = 100_000
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Run(b.Context(), net.Plan{Events: s.Events() + step}); err != nil {
			b.Fatal(err)
		}
	}
	seconds := cpuSeconds(b) - before
	b.ReportMetric(float64(s.Events()-events)/seconds/1e6, "Mevents/s")
	b.ReportMetric(float64(s.Firings()-firings)/seconds/1e6, "Mfirings/s")
}

func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(os.NewSyscallError("getrusage", err))
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkH2M5(b *testing.B) { benchmark(b, single(h2(12), net.FCFS, 5, exponential(3))) }
func BenchmarkMM5(b *testing.B) {
	benchmark(b, single(exponential(12), net.FCFS, 5, exponential(3)))
}
func BenchmarkCLS5x3(b *testing.B)    { benchmark(b, cls(h2(12), 5, 3, 1, net.First)) }
func BenchmarkCLS5x3JSQ(b *testing.B) { benchmark(b, cls(h2(12), 5, 3, 1, net.Least)) }
func BenchmarkPS(b *testing.B) {
	benchmark(b, single(h2(2.4), net.PS, 1, law(dist.NewErlang(1.0/3, 3))))
}
func BenchmarkIS(b *testing.B) { benchmark(b, single(h2(12), net.IS, 0, exponential(3))) }
