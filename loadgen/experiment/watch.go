package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/loadgen/record"
	"edgebench/monitor"
)

// pollEvery is how often the node is asked for its events and state: often
// enough for a progress line, and for its ring of events never to overflow.
const pollEvery = time.Second

// maxClockStep is how far the real-time clock may move against the monotonic
// one between two samples before the run says so.
const maxClockStep = time.Millisecond

// A watch is what goes on beside the engine: the sampler, the polling of the
// node, and what the progress line shows of both.
type watch struct {
	zero    chan time.Time // the run's instant 0, once
	stats   json.RawMessage
	phases  int // phases told in events.jsonl so far
	mu      sync.Mutex
	sampled monitor.Row
	view    nodeView // of the node, when it was asked last
	known   bool     // view
	err     error
	stop    context.CancelFunc // ends the sending
	stopped atomic.Int64       // real time at which it was ended, 0 for never
}

// A Status is a run so far, for a progress line.
type Status struct {
	record.Progress
	Phase         string
	PhaseIndex    int // from 0
	Cycle, Cycles int
	Left          time.Duration // of the schedule

	Workers      int // of the bundled node
	WorkersKnown bool
	Sampled      monitor.Row // the last sample, zero before the first

	// Distributions calls f with response times of ok and lags so far; quick, and
	// safe from any goroutine as long as the run is.
	Distributions func(f func(response, lag *rundir.Distribution))
}

// drive runs the engine with the sampler and the polling beside it.
func (r *run) drive(ctx context.Context) (engine.Result, error) {
	r.watch.zero = make(chan time.Time, 1)
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	sending, stopSending := context.WithCancel(ctx)
	defer stopSending()
	r.watch.stop = stopSending
	context.AfterFunc(sending, func() { r.watch.stopped.Store(time.Now().UnixNano()) })
	var wg sync.WaitGroup
	wg.Go(func() { r.sample(beside) })
	wg.Go(func() { r.poll(beside) })
	result, err := r.engine.Run(sending)
	if at := r.watch.stopped.Load(); at != 0 && result.Interrupted {
		r.manifest.StoppedNS = max(0, at-r.manifest.StartedUnixNS)
	}
	stop()
	wg.Wait()
	return result, errors.Join(err, r.watch.err)
}

// started hears the run's instant 0 from the engine.
func (r *run) started(zero time.Time) {
	r.manifest.StartedUnixNS = zero.UnixNano()
	r.manifest.StartedUTC = zero.UTC().Format(time.RFC3339Nano)
	r.watch.zero <- zero
}

// sample writes monitor.csv from the run's instant 0 on.
func (r *run) sample(ctx context.Context) {
	var zero time.Time
	select {
	case zero = <-r.watch.zero:
	case <-ctx.Done():
		return
	}
	s := monitor.Sampler{Zero: zero, Interval: r.Profile.Monitor.Interval}
	if r.node != nil {
		s.Tree = r.node.tree
	}
	var (
		line   []byte
		offset = zero.UnixNano()
	)
	err := s.Run(ctx, func(row monitor.Row) {
		line = row.Append(line[:0])
		r.keep(r.files.monitor.WriteLine(line))
		if now := row.Unix - int64(row.At); abs(now-offset) > int64(maxClockStep) {
			r.event(map[string]any{"unix_ns": row.Unix, "event": "clock_step", "step_ns": now - offset})
			offset = now
		}
		r.watch.mu.Lock()
		r.watch.sampled = row
		r.watch.mu.Unlock()
	})
	if err != nil {
		r.warn("sampler: %v", err)
	}
}

func abs(v int64) int64 { return max(v, -v) }

// poll brings the node's events and state over, and once more at the end.
func (r *run) poll(ctx context.Context) {
	if r.node == nil {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.ask(ctx)
		case <-r.node.Exited():
			return // the run goes on: what its requests meet is data
		case <-ctx.Done():
			last, giveUp := r.unlessAborted(context.WithoutCancel(ctx))
			defer giveUp()
			r.ask(last)
			return
		}
	}
}

// ask tolerates a node that does not answer: it may be busy, or dead, which the
// manifest tells.
func (r *run) ask(ctx context.Context) {
	_ = r.node.client.events(ctx, func(line []byte) error {
		r.told(line)
		return nil
	})
	stats, err := r.node.client.stats(ctx)
	if err != nil {
		return
	}
	r.watch.stats = stats
	if view, err := viewOf(stats); err == nil {
		r.see(view)
	}
}

// see keeps what the node's workers are doing, and tells of it when it changed:
// no event of the node's says which of them are busy.
func (r *run) see(view nodeView) {
	r.watch.mu.Lock()
	changed := !r.watch.known || view != r.watch.view
	r.watch.view, r.watch.known = view, true
	r.watch.mu.Unlock()
	if changed {
		r.event(map[string]any{
			"unix_ns": time.Now().UnixNano(), "event": "node_state", "starting": view.Workers.Starting, "idle": view.Workers.Idle,
			"busy": view.Workers.Busy, "oneoffs": view.Workers.OneOffs, "waiting": view.Requests.Waiting,
		})
	}
}

// second hears every second of the run from the engine, in order.
func (r *run) second(v rundir.Interval) {
	if v.Second == 0 && r.Begun != nil {
		r.Begun(r.manifest)
	}
	r.keep(r.files.series.Write(v))
	end := time.Duration(v.Second+1) * time.Second
	phases := r.manifest.Phases
	for r.watch.phases < len(phases) && time.Duration(phases[r.watch.phases].StartNS) < end {
		p := phases[r.watch.phases]
		r.event(map[string]any{
			"unix_ns": r.manifest.StartedUnixNS + p.StartNS, "event": "phase_start", "phase": p.Name, "cycle": p.Cycle,
		})
		r.watch.phases++
	}
	if r.Progress != nil {
		r.Progress(r.status())
	}
}

func (r *run) status() Status {
	p := r.engine.Progress()
	s := Status{Progress: p.Progress, Left: max(0, p.Planned-p.At), Distributions: r.engine.Distributions}
	if p.Phase >= 0 {
		phases := r.manifest.Phases
		s.PhaseIndex = p.Phase
		s.Phase, s.Cycle, s.Cycles = phases[p.Phase].Name, phases[p.Phase].Cycle, phases[len(phases)-1].Cycle
	}
	r.watch.mu.Lock()
	defer r.watch.mu.Unlock()
	s.Workers, s.WorkersKnown, s.Sampled = r.watch.view.workers(), r.watch.known, r.watch.sampled
	return s
}

func (r *run) event(v map[string]any) {
	line, err := json.Marshal(v)
	r.keep(err)
	r.told(line)
}

// told keeps a line of events.jsonl and passes it on.
func (r *run) told(line []byte) {
	r.keep(r.files.events.WriteLine(line))
	if r.Event != nil {
		r.Event(line)
	}
}

// keep remembers the first failure to write and ends the sending: a run that
// cannot be written down is not worth the load.
func (r *run) keep(err error) {
	if err == nil {
		return
	}
	r.watch.mu.Lock()
	defer r.watch.mu.Unlock()
	if r.watch.err == nil {
		r.watch.err = err
		r.watch.stop()
	}
}
