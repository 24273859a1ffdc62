package engine

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Collections are the garbage collections of this process during a run. Shards
// allocate nothing a request, so there are few: what collects is the rest.
type Collections struct {
	Count uint64        `json:"count"`
	Total time.Duration `json:"pause_total_ns"` // the program stood still for them, all together
	Max   time.Duration `json:"pause_max_ns"`   // longest pause, at most this: the end of its bucket in the runtime's histogram
}

const pausesMetric = "/sched/pauses/total/gc:seconds"

// A collector has read the runtime's counters once.
type collector struct {
	stats  debug.GCStats
	pauses *metrics.Float64Histogram
}

func readCollector() collector {
	var c collector
	debug.ReadGCStats(&c.stats)
	sample := []metrics.Sample{{Name: pausesMetric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindFloat64Histogram {
		c.pauses = sample[0].Value.Float64Histogram()
	}
	return c
}

// since is what happened between two readings.
func (c collector) since(before collector) Collections {
	out := Collections{
		Count: uint64(c.stats.NumGC - before.stats.NumGC),
		Total: c.stats.PauseTotal - before.stats.PauseTotal,
	}
	if c.pauses == nil || before.pauses == nil || len(c.pauses.Counts) != len(before.pauses.Counts) {
		return out
	}
	for i, n := range c.pauses.Counts {
		if n > before.pauses.Counts[i] {
			end := c.pauses.Buckets[i+1]
			if math.IsInf(end, 1) {
				end = c.pauses.Buckets[i]
			}
			out.Max = time.Duration(end * float64(time.Second))
		}
	}
	return out
}
