package engine

import (
	"time"

	"edgebench/loadgen/record"
	"edgebench/loadgen/transport"
)

// A Result is what a run came to.
type Result struct {
	// Zero is the start of the schedule in the clock of the world, and
	// ZeroMonotonic on CLOCK_MONOTONIC, by which other processes of this
	// machine line up their clocks with the run's.
	Zero          time.Time
	ZeroMonotonic time.Duration

	// Late is by how much Zero had passed when the last loop saw that it had.
	Late time.Duration

	Planned time.Duration // length of the schedule
	Ended   time.Duration // when the last shard ended, on the run's clock

	Interrupted bool // sending was stopped before the schedule ended
	Aborted     bool // waiting for responses too

	Shards      int
	MaxInFlight int
	Connections transport.Stats
	Collections Collections
	Warnings    []string // limits that were met before anything was sent

	record.Totals
}

// finish adds up what the shards did.
func (r *Run) finish(res *Result) error {
	for _, s := range r.shards {
		res.Connections.Merge(&s.stats)
		res.Late = max(res.Late, time.Duration(s.late))
		order := command(s.orders.Load())
		res.Interrupted = res.Interrupted || order >= stopSending
		res.Aborted = res.Aborted || order == stopWaiting
	}
	var err error
	res.Totals, err = r.recorder.Close()
	return err
}
