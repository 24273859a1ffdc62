package record

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
)

// gated is a sink that takes nothing until it is opened.
type gated struct {
	gate    chan bool
	fail    error
	entered sync.Once
	waiting chan bool // closed when the first batch is there
	rows    []rundir.Sample
}

func (g *gated) WriteSamples(samples []rundir.Sample) error {
	g.entered.Do(func() { close(g.waiting) })
	<-g.gate
	g.rows = append(g.rows, samples...)
	return g.fail
}

func newGated(fail error) *gated {
	return &gated{gate: make(chan bool), waiting: make(chan bool), fail: fail}
}

// answer records n answered requests from index first on.
func answer(s *Shard, first, n int) {
	for i := range n {
		s.Scheduled()
		sample := rundir.Sample{Index: uint64(first + i), Phase: int32(i % 2), Scheduled: int64(i), Sent: int64(i + 10), Done: int64(i + 1000)}
		s.Sent(sample.Lag())
		s.Done(&sample)
	}
}

func open(t *testing.T, c Config) *Recorder {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A sink that stands still costs rows, counted, but never a shard's time and
// never a count.
func TestSlowSink(t *testing.T) {
	t.Parallel()
	sink := newGated(nil)
	r := open(t, Config{Shards: 2, Phases: 2, Sink: sink, RowMemory: 1})
	const each = 10 * batchRows
	answer(r.Shard(0), 0, each) // nobody reads, and yet this returns
	answer(r.Shard(1), each, each)
	<-sink.waiting
	close(sink.gate)
	r.Shard(0).Close(1)
	r.Shard(1).Close(1)
	totals, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	if totals.Total.OK() != 2*each || totals.Phases[0].OK() != each || totals.RowsLost == 0 {
		t.Errorf("ok %d, rows lost %d", totals.Total.OK(), totals.RowsLost)
	}
	if got := uint64(len(sink.rows)) + totals.RowsLost; got != 2*each {
		t.Errorf("%d rows and %d lost for %d requests", len(sink.rows), totals.RowsLost, 2*each)
	}
}

func TestEveryRowOnce(t *testing.T) {
	t.Parallel()
	sink := newGated(nil)
	close(sink.gate)
	r := open(t, Config{Shards: 2, Phases: 2, Sink: sink})
	for second := range int64(5) {
		for i := range 2 {
			answer(r.Shard(i), int(second)*2000+i*1000, 1000)
			r.Shard(i).Roll((second + 1) * secondNS)
		}
	}
	r.Shard(0).Close(5 * secondNS)
	r.Shard(1).Close(5 * secondNS)
	totals, err := r.Close()
	if err != nil || totals.RowsLost != 0 {
		t.Fatalf("%v, %d rows lost", err, totals.RowsLost)
	}
	seen := map[uint64]bool{}
	for _, s := range sink.rows {
		seen[s.Index] = true
	}
	if len(seen) != 10_000 || len(sink.rows) != 10_000 {
		t.Errorf("%d rows of %d requests, want 10000", len(sink.rows), len(seen))
	}
}

// A sample of the rows is the same requests every time, a fair part of any kind
// of them, and no tally misses one.
func TestRowsAreSampled(t *testing.T) {
	t.Parallel()
	const requests, every = 40_000, 10
	var rows [2][]rundir.Sample
	for i := range rows {
		sink := newGated(nil)
		close(sink.gate)
		r := open(t, Config{Shards: 1, Phases: 2, Sink: sink, RowEvery: every})
		answer(r.Shard(0), 0, requests)
		r.Shard(0).Close(1)
		totals, err := r.Close()
		if err != nil || totals.Total.OK() != requests || totals.RowsLost != 0 {
			t.Fatalf("%v: ok %d, %d rows lost", err, totals.Total.OK(), totals.RowsLost)
		}
		if n := uint64(len(sink.rows)); n+totals.RowsSkipped != requests {
			t.Errorf("%d rows and %d left out of %d", n, totals.RowsSkipped, requests)
		}
		rows[i] = sink.rows
	}
	if diff := cmp.Diff(rows[0], rows[1]); diff != "" {
		t.Errorf("another sample the second time:\n%s", diff)
	}
	// Of every tenth request, too, a tenth is kept: 400 of 4000, ± 5 standard deviations.
	var tenths [every]int
	for _, s := range rows[0] {
		tenths[s.Index%every]++
	}
	for i, n := range tenths {
		if n < 300 || n > 500 {
			t.Errorf("%d rows of the requests %d modulo %d, want about 400", n, i, every)
		}
	}
}

func TestSinkFailure(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	sink := newGated(full)
	close(sink.gate)
	var told []error
	r := open(t, Config{Shards: 1, Phases: 2, Sink: sink, Fail: func(err error) { told = append(told, err) }})
	answer(r.Shard(0), 0, 3*batchRows)
	r.Shard(0).Close(1)
	totals, err := r.Close()
	if !errors.Is(err, full) || len(told) != 1 {
		t.Errorf("error %v, told %v", err, told)
	}
	if totals.Total.OK() != 3*batchRows || totals.RowsLost != 3*batchRows {
		t.Errorf("ok %d, lost %d", totals.Total.OK(), totals.RowsLost)
	}
}

// Seconds come in order, merged over shards, whoever hands over first, also
// those in which every shard was stalled.
func TestSeconds(t *testing.T) {
	t.Parallel()
	var seconds []rundir.Interval
	r := open(t, Config{Shards: 2, Phases: 2, Interval: func(i rundir.Interval) { seconds = append(seconds, i) }})
	a, b := r.Shard(0), r.Shard(1)
	if next := a.Roll(-5); next != secondNS {
		t.Errorf("before the start the next second begins at %d", next)
	}
	answer(a, 0, 10)
	a.Scheduled()
	a.Sent(50) // unanswered for now
	if next := a.Roll(secondNS + 5); next != 2*secondNS {
		t.Errorf("the next second begins at %d", next)
	}
	answer(a, 20, 4)
	a.Roll(2*secondNS + 1)
	answer(b, 40, 6) // b is stalled until second 3
	b.Roll(3*secondNS + 7)
	a.Done(&rundir.Sample{Outcome: rundir.ErrTimeout, Sent: 50, Done: 60, Phase: 1})
	a.Scheduled()
	a.Drop(arrival.Arrival{Index: 30, At: 2 * time.Second}, rundir.DropMaxInFlight)
	a.Close(3*secondNS + 9)
	b.Close(3*secondNS + 9)
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	type counts struct{ Second, Scheduled, Sent, OK, Errors, Dropped, InFlight int64 }
	var got []counts
	for _, s := range seconds {
		got = append(got, counts{s.Second, s.Scheduled, s.Sent, s.OK, s.Errors, s.Dropped, s.InFlight})
	}
	want := []counts{
		{0, 17, 17, 16, 0, 0, 1},
		{1, 4, 4, 4, 0, 0, 1},
		{2, 1, 0, 0, 1, 1, 0},
		{3, 0, 0, 0, 0, 0, 0},
	}
	// The in-flight count of a second in which a shard was stalled is the one
	// it handed over later, so only the last two are determined.
	for i := range min(len(got), 2) {
		got[i].InFlight = 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := r.Progress(); p.Scheduled != 22 || p.OK != 20 || p.Errors != 1 || p.Dropped != 1 || p.InFlight != 0 || p.ResponseP50 != 1000 {
		t.Errorf("%+v", p)
	}
}

// Shards end when their part is done, in different seconds.
func TestSecondsAfterAShardEnded(t *testing.T) {
	t.Parallel()
	var sum, last int64 = 0, -1
	r := open(t, Config{Shards: 2, Phases: 2, Interval: func(i rundir.Interval) { sum, last = sum+i.OK, i.Second }})
	a, b := r.Shard(0), r.Shard(1)
	answer(a, 0, 4)
	a.Close(secondNS / 2)
	for second := range int64(3) {
		answer(b, 10, 5)
		b.Roll((second + 1) * secondNS)
	}
	answer(b, 10, 6)
	b.Close(3*secondNS + 1)
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if sum != 25 || last != 3 {
		t.Errorf("the seconds to %d add up to %d answers, want 25 to second 3", last, sum)
	}
}

// A watcher that stands still stops no shard and loses no count.
func TestSlowWatcher(t *testing.T) {
	t.Parallel()
	gate := make(chan bool)
	var sum, last int64 = 0, -1
	r := open(t, Config{Shards: 1, Phases: 2, Interval: func(i rundir.Interval) {
		<-gate
		sum += i.OK
		if i.Second != last+1 {
			t.Errorf("second %d after %d", i.Second, last)
		}
		last = i.Second
	}})
	s := r.Shard(0)
	for second := range int64(5 * keptSeconds) {
		answer(s, 0, 3)
		s.Roll((second + 1) * secondNS)
	}
	close(gate)
	s.Close(5 * keptSeconds * secondNS)
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if sum != 15*keptSeconds || last != 5*keptSeconds {
		t.Errorf("the seconds add up to %d answers, want %d; last %d", sum, 15*keptSeconds, last)
	}
}

func TestALostRequestIsLoud(t *testing.T) {
	t.Parallel()
	r := open(t, Config{Shards: 1, Phases: 1})
	r.Shard(0).Scheduled() // and never heard of again
	r.Shard(0).Close(1)
	if _, err := r.Close(); !errors.Is(err, rundir.ErrConservation) || !strings.Contains(err.Error(), "1 requests were scheduled, 0") {
		t.Errorf("error %v", err)
	}
	if _, err := New(Config{Shards: 1}); err == nil {
		t.Error("no phases pass")
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	r := open(t, Config{Shards: 1, Phases: 2, Sink: discard{}})
	s := r.Shard(0)
	answer(s, 0, 100*batchRows) // every batch and counter exists
	n := testing.AllocsPerRun(100, func() { answer(s, 0, 100) })
	s.Close(1)
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n > 1 { // the writer may hold one batch longer than before
		t.Errorf("%g allocations for 100 requests", n)
	}
}

type discard struct{}

func (discard) WriteSamples([]rundir.Sample) error { return nil }

func BenchmarkRecord(b *testing.B) {
	b.ReportAllocs()
	r, err := New(Config{Shards: 1, Phases: 2, Sink: discard{}})
	if err != nil {
		b.Fatal(err)
	}
	s := r.Shard(0)
	for b.Loop() {
		answer(s, 0, 1)
	}
	s.Close(1)
	if _, err := r.Close(); err != nil {
		b.Fatal(err)
	}
}
