package worker

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// One worker, one caller: the latency of a round trip.
func BenchmarkDo(b *testing.B) {
	for _, kind := range Names() {
		b.Run(kind, func(b *testing.B) {
			w := start(b, open(b, kind, Options{}))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Do(Request{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// As a node uses them: 16 workers, each with a goroutine.
func BenchmarkDoParallel(b *testing.B) {
	r := open(b, "fork", Options{})
	var workers [16]*Worker
	for i := range workers {
		workers[i] = start(b, r)
	}
	var next atomic.Int64
	b.SetParallelism(len(workers))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		w := workers[next.Add(1)%int64(len(workers))]
		for pb.Next() {
			if _, err := w.Do(Request{}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// From the call of Start to the greeting, with the default heap of 100 MB.
func BenchmarkStart(b *testing.B) {
	for _, kind := range Names() {
		b.Run(kind, func(b *testing.B) {
			r := open(b, kind, Options{Heap: 100_000_000})
			var startUps []time.Duration
			for b.Loop() {
				w, err := r.Start(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				startUps = append(startUps, w.StartUp)
				w.Stop(time.Minute)
			}
			slices.Sort(startUps)
			b.ReportMetric(float64(startUps[len(startUps)/2]), "p50-ns")
			b.ReportMetric(float64(startUps[len(startUps)*99/100]), "p99-ns")
		})
	}
}
