package record

import (
	"slices"
	"sync"
	"time"

	"edgebench/analysis/rundir"
)

// Progress is a run so far, complete up to the last second all shards have
// handed over.
type Progress struct {
	At time.Duration // end of that second on the run's clock, 0 before the first

	Scheduled, Sent, OK, Errors, Dropped, Cold int64

	InFlight int64           // at the end of that second
	Last     rundir.Interval // the second itself

	ResponseP50, ResponseP99, LagP99 time.Duration // so far; 0 without any
}

// live is the watcher's view: seconds of the shards, merged in order.
type live struct {
	complete []int64           // by shard: first second it has not handed over
	inFlight []int64           // by shard, at its last second
	pending  map[int64]*second // by number, not yet handed over by all
	spare    []*second         // for pending
	reported int64             // first second not reported yet

	mu       sync.Mutex
	progress Progress
	lag      rundir.Distribution
	response rundir.Distribution
}

func (l *live) start(shards int) {
	l.complete = make([]int64, shards)
	l.inFlight = make([]int64, shards)
	l.pending = map[int64]*second{}
}

// watch merges seconds until there are no more.
func (r *Recorder) watch() {
	l := &r.live
	for s := range r.seconds {
		l.take(s)
		r.shards[s.shard].idle <- s // has a place for every second there is
		r.tell(l.ready())
	}
	// Shards end at different times; nobody adds to the last seconds any more.
	r.tell(slices.Max(l.complete))
}

// tell reports every second before number.
func (r *Recorder) tell(number int64) {
	for l := &r.live; l.reported < number; l.reported++ {
		interval := l.report(l.reported)
		if r.config.Interval != nil {
			r.config.Interval(interval)
		}
	}
}

func (l *live) take(s *second) {
	merged := l.pending[s.Second]
	if merged == nil {
		if n := len(l.spare); n > 0 {
			merged, l.spare = l.spare[n-1], l.spare[:n-1]
		} else {
			merged = new(second)
		}
		merged.begin(s.Second, 0)
		l.pending[s.Second] = merged
	}
	merged.add(s)
	l.complete[s.shard] = s.next
	l.inFlight[s.shard] = s.inFlight
}

// ready is the first second that some shard may still add to.
func (l *live) ready() int64 {
	return slices.Min(l.complete)
}

// report makes the interval of a second that is complete. A second nothing
// was handed over for, since every shard was stalled, is all zeros.
func (l *live) report(number int64) rundir.Interval {
	interval := rundir.Interval{Second: number}
	merged := l.pending[number]
	if merged != nil {
		interval = merged.Interval
		interval.LagP99NS, interval.LagMaxNS = merged.lag.Quantile(0.99), merged.lag.Max
		interval.ResponseP50NS, interval.ResponseP90NS = merged.response.Quantile(0.5), merged.response.Quantile(0.9)
		interval.ResponseP99NS, interval.ResponseMaxNS = merged.response.Quantile(0.99), merged.response.Max
	}
	for _, n := range l.inFlight {
		interval.InFlight += n
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &l.progress
	p.At = time.Duration((number + 1) * secondNS)
	p.Scheduled += interval.Scheduled
	p.Sent += interval.Sent
	p.OK += interval.OK
	p.Errors += interval.Errors
	p.Dropped += interval.Dropped
	p.Cold += interval.Cold
	p.InFlight = interval.InFlight
	p.Last = interval
	if merged != nil {
		l.lag.Merge(&merged.lag)
		l.response.Merge(&merged.response)
		delete(l.pending, number)
		l.spare = append(l.spare, merged)
	}
	return interval
}

// Distributions calls f with the response times of ok and the lags of the run so
// far, which f may read until it returns. Safe from any goroutine; meanwhile
// seconds wait, so f is quick.
func (r *Recorder) Distributions(f func(response, lag *rundir.Distribution)) {
	l := &r.live
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.response, &l.lag)
}

// Progress tells how far the run is. Safe from any goroutine; it costs the
// shards nothing.
func (r *Recorder) Progress() Progress {
	l := &r.live
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.progress
	p.ResponseP50 = time.Duration(l.response.Quantile(0.5))
	p.ResponseP99 = time.Duration(l.response.Quantile(0.99))
	p.LagP99 = time.Duration(l.lag.Quantile(0.99))
	return p
}
