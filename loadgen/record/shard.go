package record

import (
	"golang.org/x/sys/cpu"

	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
)

// A Shard records the requests of one shard. It is a transport.Observer.
type Shard struct {
	_         cpu.CacheLinePad // shards next to each other in memory would slow each other down
	recorder  *Recorder
	number    int
	tallies   []*rundir.Tally // by phase, made when first used
	functions []*rundir.Tally // by function, likewise; nil without any

	scheduled uint64 // taken from the schedule
	ended     uint64 // of them, those with a fate

	batch     []rundir.Sample // nil: none could be had
	free      chan []rundir.Sample
	allocated int // batches made so far, at most cap(free)
	lost      uint64
	skipped   uint64

	now  *second
	idle chan *second // seconds handed over and done with
	made int          // seconds made so far, at most keptSeconds
	_    cpu.CacheLinePad
}

func newShard(r *Recorder, number, batches int) *Shard {
	var functions []*rundir.Tally
	if r.config.Functions > 0 {
		functions = make([]*rundir.Tally, r.config.Functions)
	}
	return &Shard{
		recorder: r, number: number,
		tallies: make([]*rundir.Tally, r.config.Phases), functions: functions,
		free: make(chan []rundir.Sample, batches),
		now:  &second{shard: number},
		idle: make(chan *second, keptSeconds),
		made: 1,
	}
}

// Scheduled counts a request taken from the schedule, before its fate is known.
func (s *Shard) Scheduled() {
	s.scheduled++
	s.now.Scheduled++
}

// Open is how many requests taken from the schedule have no fate yet.
func (s *Shard) Open() uint64 { return s.scheduled - s.ended }

// Sent counts a request whose first byte was handed to the kernel.
func (s *Shard) Sent(lag int64) {
	s.now.Sent++
	s.now.inFlight++
	s.now.lag.Add(lag)
}

// Drop records that a request was never sent.
func (s *Shard) Drop(a arrival.Arrival, reason rundir.DropReason) {
	s.Done(&rundir.Sample{
		Index: a.Index, Phase: a.Phase, Function: a.Function, Scheduled: int64(a.At),
		Outcome: rundir.Dropped, Drop: reason,
	})
}

// Done records the fate of a request.
func (s *Shard) Done(sample *rundir.Sample) {
	s.ended++
	s.tally(s.tallies, sample.Phase).Add(sample)
	if s.functions != nil {
		s.tally(s.functions, sample.Function).Add(sample)
	}
	s.now.done(sample)
	switch {
	case s.recorder.config.Sink == nil:
	case kept(sample.Index, s.recorder.config.RowEvery):
		s.keep(sample)
	default:
		s.skipped++
	}
}

func (s *Shard) tally(of []*rundir.Tally, i int32) *rundir.Tally {
	if of[i] == nil {
		of[i] = &rundir.Tally{ColdThreshold: s.recorder.config.ColdThreshold}
	}
	return of[i]
}

// kept reports whether the row of a request is one of the sample. The index is
// hashed (the finalizer of splitmix64), because every n-th request may well be
// of one kind: of one function, or the first of each burst.
func kept(index, every uint64) bool {
	if every <= 1 {
		return true
	}
	h := index + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return (h^h>>31)%every == 0
}

// keep appends a row, or counts it as lost when the writer holds every batch.
func (s *Shard) keep(sample *rundir.Sample) {
	if s.batch == nil && !s.take() {
		s.lost++
		return
	}
	s.batch = append(s.batch, *sample)
	if len(s.batch) == batchRows {
		s.hand()
	}
}

func (s *Shard) take() bool {
	select {
	case s.batch = <-s.free:
		return true
	default:
	}
	if s.allocated == cap(s.free) {
		return false
	}
	s.allocated++
	s.batch = make([]rundir.Sample, 0, batchRows)
	return true
}

// hand gives the batch to the writer. Its channel has room for all of them.
func (s *Shard) hand() {
	if len(s.batch) > 0 {
		s.recorder.full <- rows{s.batch, s}
		s.batch = nil
	}
}

// Close hands over what is left, at the instant now of the run's clock.
func (s *Shard) Close(now int64) {
	s.hand()
	s.now.next = now/secondNS + 1
	s.recorder.seconds <- s.now // the one place in the channel this shard may still need
}
