// Package record keeps what a run did while it does it: exact tallies a phase,
// one row a request for whoever writes them down, and seconds for whoever
// watches. A shard records into memory of its own and never waits for anyone;
// when the reader of rows is too slow for too long, rows are lost and counted,
// the tallies never.
package record

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"edgebench/analysis/rundir"
)

// A Sink takes rows in the order in which requests ended on each shard. The
// slice is reused after the call. Its first error ends the rows of the run.
type Sink interface {
	WriteSamples([]rundir.Sample) error
}

// Config of a Recorder. The zero value of every field but Shards and Phases is
// usable.
type Config struct {
	Shards int // >= 1
	Phases int // >= 1; samples have a phase below it

	// Functions is how many functions samples belong to; 0 for no tallies by
	// function.
	Functions int

	ColdThreshold time.Duration // service time above which a response counts as cold; 0 for none

	Sink     Sink                  // nil: no rows are kept
	Interval func(rundir.Interval) // called for every second in order, from one goroutine; nil for none
	Fail     func(error)           // called at most once, from another goroutine, when Sink fails; nil for none

	// RowEvery keeps the row of one request in so many, chosen by a hash of its
	// index: whatever is computed from the rows is unbiased, and two runs of a
	// schedule have rows of the same requests. Errors and drops are no
	// exception; the tallies have them all. 0 and 1 keep every row.
	RowEvery uint64

	// RowMemory bounds the rows that wait for the Sink, in bytes of memory for
	// all shards together. 0 means 24 MiB, a second at 200,000 requests/s.
	RowMemory int
}

// batchRows is how many rows go to the writer together: enough that the
// hand-over costs nothing, few enough that 8 shards at a small rate stay small.
const batchRows = 512

const defaultRowMemory = 24 << 20

// A Recorder owns the goroutines behind the shards. Make one a run.
type Recorder struct {
	config Config
	shards []*Shard

	full    chan rows
	seconds chan *second
	workers sync.WaitGroup

	sinkErr error  // the writer's, read after it ended
	unsaved uint64 // rows the writer had to throw away, likewise
	live    live
}

// rows are a batch on its way to the writer, and where it came from.
type rows struct {
	samples []rundir.Sample
	from    *Shard
}

// New starts a recorder. Close ends it.
func New(c Config) (*Recorder, error) {
	if c.Shards < 1 || c.Phases < 1 {
		return nil, fmt.Errorf("record: %d shards and %d phases: want at least one of each", c.Shards, c.Phases)
	}
	if c.RowMemory <= 0 {
		c.RowMemory = defaultRowMemory
	}
	batchBytes := batchRows * int(unsafe.Sizeof(rundir.Sample{}))
	batches := max(2, c.RowMemory/batchBytes/c.Shards) // one to fill, one on its way
	r := &Recorder{
		config:  c,
		full:    make(chan rows, batches*c.Shards),
		seconds: make(chan *second, keptSeconds*c.Shards),
	}
	r.live.start(c.Shards)
	for i := range c.Shards {
		r.shards = append(r.shards, newShard(r, i, batches))
	}
	r.workers.Go(r.write)
	r.workers.Go(r.watch)
	return r, nil
}

// Shard is the part of one shard, for its goroutine alone.
func (r *Recorder) Shard(i int) *Shard { return r.shards[i] }

// write hands batches to the sink until there are no more.
func (r *Recorder) write() {
	for b := range r.full {
		switch {
		case r.config.Sink == nil:
		case r.sinkErr != nil:
			r.unsaved += uint64(len(b.samples))
		default:
			if r.sinkErr = r.config.Sink.WriteSamples(b.samples); r.sinkErr != nil {
				r.unsaved += uint64(len(b.samples))
				if r.config.Fail != nil {
					r.config.Fail(r.sinkErr)
				}
			}
		}
		b.from.free <- b.samples[:0] // has room for every batch there is
	}
}

// Totals are the exact counts of a run.
type Totals struct {
	Phases    []rundir.Tally // by index of the phase
	Functions []rundir.Tally // by index of the function; nil without any
	Total     rundir.Tally

	// RowsLost is how many requests have no row, because the sink was too slow
	// or failed; 0 without a sink. They are in the tallies all the same.
	RowsLost uint64
	// RowsSkipped is how many have none because rows were sampled.
	RowsSkipped uint64
}

// Close ends the recording, after every shard's Close, and adds up. The error
// is the sink's first, or says in what way the counts do not reconcile.
func (r *Recorder) Close() (Totals, error) {
	close(r.full)
	close(r.seconds)
	r.workers.Wait()
	t := Totals{RowsLost: r.unsaved}
	var faults []error
	if r.sinkErr != nil {
		faults = append(faults, fmt.Errorf("record: writing samples: %w", r.sinkErr))
	}
	merge := func(what string, n int, of func(*Shard) []*rundir.Tally) []rundir.Tally {
		merged := make([]rundir.Tally, n)
		for i := range merged {
			merged[i].ColdThreshold = r.config.ColdThreshold
			for _, s := range r.shards {
				if tally := of(s)[i]; tally != nil {
					merged[i].Merge(tally)
				}
			}
			if err := merged[i].Check(); err != nil {
				faults = append(faults, fmt.Errorf("record: %s %d: %w", what, i, err))
			}
		}
		return merged
	}
	t.Phases = merge("phase", r.config.Phases, func(s *Shard) []*rundir.Tally { return s.tallies })
	if r.config.Functions > 0 {
		t.Functions = merge("function", r.config.Functions, func(s *Shard) []*rundir.Tally { return s.functions })
	}
	t.Total = rundir.Sum(t.Phases)
	t.Total.ColdThreshold = r.config.ColdThreshold
	var scheduled uint64
	for _, s := range r.shards {
		scheduled += s.scheduled
		t.RowsLost += s.lost
		t.RowsSkipped += s.skipped
	}
	if scheduled != t.Total.Scheduled {
		faults = append(faults, fmt.Errorf("record: %w: %d requests were scheduled, %d came to an end", rundir.ErrConservation, scheduled, t.Total.Scheduled))
	}
	return t, errors.Join(faults...)
}
