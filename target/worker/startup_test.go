package worker

import (
	"slices"
	"testing"
	"time"
)

// From the call of Start to the greeting with a heap of 100 MB: printed, for the reader.
func TestStartUpDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("touches 100 MB in each worker")
	}
	for kind, starts := range map[string]int{"fork": 200, "exec": 10} {
		r := open(t, kind, Options{Heap: 100_000_000})
		var all []time.Duration
		for range starts {
			w := start(t, r)
			all = append(all, w.StartUp)
			w.Stop(time.Minute)
		}
		slices.Sort(all)
		at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))].Round(10 * time.Microsecond) }
		t.Logf("%s: %d starts: min %v, p50 %v, p90 %v, p99 %v, max %v", kind, starts, at(0), at(0.5), at(0.9), at(0.99), at(1))
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
