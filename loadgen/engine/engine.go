// Package engine is the open loop: it sends every request of a schedule at its
// planned instant, whether or not earlier ones were answered, and says by how
// much it was late. It decides when and whether a request is sent; the
// transport decides how. A request that cannot be sent is dropped with its
// reason and never put off.
//
// Each shard is one event loop on a thread of its own. Shards share nothing:
// each runs through the whole schedule and keeps every N-th request.
package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"edgebench/loadgen/record"
	"edgebench/loadgen/transport"
)

// A Run is one run of a schedule. Make one with New, call Run once.
type Run struct {
	config   Config
	clock    *transport.Clock
	recorder *record.Recorder
	duration time.Duration // of the schedule

	// filesBound tells that the limit on open files bounds what is in flight,
	// and not the configuration nor the usual default.
	filesBound bool
	warnings   []string

	shards []*shard
	failed bool // some shard could not begin, so none does; settled before the start
}

// New checks the configuration and raises the limit on open files.
func New(c Config) (*Run, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	files, err := raiseFiles()
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	filesBound := c.MaxInFlight == 0 && inFlightFor(files) < mostInFlight
	c = c.resolve(files, runtime.GOMAXPROCS(0))
	phases := c.Schedule.Phases()
	last := phases[len(phases)-1]
	r := &Run{config: c, clock: transport.NewClock(), duration: last.Start + last.Length, filesBound: filesBound}
	r.warnings = filesWarnings(files, c.MaxInFlight, filesBound)
	r.recorder, err = record.New(record.Config{
		Shards: c.Shards, Phases: len(phases), Functions: len(c.Schedule.Functions()), ColdThreshold: c.ColdThreshold,
		Sink: c.Sink, RowEvery: uint64(c.RowEvery), Interval: c.Interval, Fail: func(error) { r.stop() },
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ErrNotBegun marks a run of which nothing was played, because Config.Begin
// named no start.
var ErrNotBegun = errors.New("not begun")

// lead is the time between the last preparation and the start of the schedule:
// enough that a first request at 0 is not late because threads still wake up.
const lead = 20 * time.Millisecond

// Run opens the connections, plays the schedule and returns what happened. A
// cancelled context stops the sending: requests whose instant had passed are
// dropped as stopped, later ones were never scheduled, and what is in flight
// is waited for. With an error the result is as complete as it could be.
func (r *Run) Run(ctx context.Context) (Result, error) {
	// A shard that comes back from its wait must find a P, or it waits for the
	// scheduler to take one away from somebody, which may take 10 ms.
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(before, r.config.Shards+2))
	defer runtime.GOMAXPROCS(before)

	start := make(chan struct{})
	ready := make(chan error, r.config.Shards)
	ended := make(chan error, r.config.Shards)
	opening, giveUp := context.WithCancel(ctx)
	defer giveUp()
	for i := range r.config.Shards {
		s := newShard(r, i)
		r.shards = append(r.shards, s)
		go func() { ended <- s.live(opening, ready, start) }()
	}
	var faults []error
	for range r.config.Shards {
		if err := <-ready; err != nil {
			faults = append(faults, err)
			giveUp() // the others need not warm theirs
		}
	}
	var zero time.Time
	if len(faults) == 0 {
		// Not before all connections are warm: the first phase has its planned
		// first second.
		var err error
		if zero, err = r.begin(ctx); err != nil {
			faults = append(faults, fmt.Errorf("%w: %w", ErrNotBegun, err))
		}
	}
	collected := readCollector()
	res := Result{Warnings: r.warnings, Shards: r.config.Shards, MaxInFlight: r.config.MaxInFlight, Planned: r.duration}
	if len(faults) > 0 {
		r.failed = true
	} else {
		r.clock.Start(zero)
		res.Zero, res.ZeroMonotonic = zero, monotonic(zero)
		if r.config.Started != nil {
			r.config.Started(zero)
		}
	}
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { r.watch(ctx, done) })
	close(start)
	for range r.config.Shards {
		if err := <-ended; err != nil {
			faults = append(faults, err)
			r.stop()
		}
	}
	res.Ended = time.Duration(r.clock.Now())
	res.Collections = readCollector().since(collected)
	close(done)
	watch.Wait()
	if err := r.finish(&res); err != nil {
		faults = append(faults, err)
	}
	return res, errors.Join(faults...)
}

// begin is the start of the schedule.
func (r *Run) begin(ctx context.Context) (time.Time, error) {
	if r.config.Begin == nil {
		return time.Now().Add(lead), nil
	}
	return r.config.Begin(ctx)
}

// watch turns a cancelled context and Abort into what shards look at.
func (r *Run) watch(ctx context.Context, done <-chan struct{}) {
	cancelled := ctx.Done()
	for {
		select {
		case <-done:
			return
		case <-cancelled:
			r.stop()
			cancelled = nil
		case <-r.config.Abort:
			r.abort()
			return
		}
	}
}

// stop ends the sending.
func (r *Run) stop() { r.command(stopSending) }

// abort ends the waiting too.
func (r *Run) abort() { r.command(stopWaiting) }

func (r *Run) command(c command) {
	for _, s := range r.shards {
		s.obey(c)
	}
}
