package record

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"edgebench/analysis/rundir"
)

// What is kept does not grow with what happened.
// Latencies are spread over six decades, so that nearly every counter there may
// be is made in the first minute. Rows that wait for a slow sink have a bound of
// their own and are left out.
func TestMemoryIsFlat(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	told := make(chan bool) // the shard does not get ahead of the watcher, as it would in no real run
	r := open(t, Config{Shards: 1, Phases: 1, Interval: func(rundir.Interval) { told <- true }})
	s := r.Shard(0)
	index := uint64(0)
	minute := func(n int64) {
		for second := 60 * n; second < 60*(n+1); second++ {
			for range 500 {
				at := second * secondNS
				lag := int64(math.Exp(3 + 14*random.Float64())) // 20 ns to 24 ms
				sample := rundir.Sample{Index: index, Scheduled: at, Sent: at + lag, Done: at + 1000*lag}
				index++
				s.Scheduled()
				s.Sent(lag)
				s.Done(&sample)
			}
			s.Roll((second + 1) * secondNS)
			<-told
		}
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	minute(0)
	first := live()
	for n := range int64(14) {
		minute(n + 1)
	}
	last := live()
	t.Logf("%d kB live after a minute, %d kB after fifteen", first>>10, last>>10)
	if last > first+first/4 {
		t.Errorf("%d bytes live after a minute, %d after fifteen", first, last)
	}
	s.Close(15 * 60 * secondNS)
	go func() { <-told }()
	if totals, err := r.Close(); err != nil || totals.Total.OK() != index {
		t.Errorf("%v: ok %d of %d", err, totals.Total.OK(), index)
	}
}
