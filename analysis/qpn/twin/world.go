// Package twin is the worker node as a discrete-event model: the node's own
// pool, policy and dispatch code under a virtual clock, fed by the schedule a
// live run would play. What it leaves out is what the live node adds: the
// network, the scheduler of the operating system, the jitter of sleeping and of
// starting processes. Its costs are given, never measured.
package twin

import (
	"math/rand/v2"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles/arrival"
	"edgebench/target/pool"
)

// A Service draws how long a worker executes a request.
type Service struct {
	Mean        time.Duration // > 0
	Exponential bool          // else every execution takes Mean
}

func (s Service) draw(rng *rand.Rand) time.Duration {
	if !s.Exponential {
		return s.Mean
	}
	return time.Duration(rng.ExpFloat64() * float64(s.Mean))
}

// A World carries out a pool's commands in virtual time.
type World struct {
	Pool     *pool.Pool
	Service  Service
	Asked    []time.Duration // by function, in place of Service where above 0; nil for none
	Start    time.Duration   // from the command to start a worker until it is ready, ≥ 0
	Overhead time.Duration   // of every execution, beyond its service time, ≥ 0
	Random   *rand.Rand      // service times only, so that nothing else can shift them
	Timeout  time.Duration   // a client gives up so long after its request; 0: never

	// Answered is called for every request when it ends, in order of time.
	Answered func(*rundir.Sample)
	// Decided is called after each decision of the policy, Second once a second;
	// either may be nil.
	Decided, Second func(now time.Duration)

	agenda agenda
	open   map[uint64]*rundir.Sample
	spare  []*rundir.Sample
	now    time.Duration
}

// Play runs the node through stream and on for drain after end, the length of
// the schedule; what is unanswered then ends open.
func (w *World) Play(stream arrival.Stream, end, drain time.Duration) {
	w.open = make(map[uint64]*rundir.Sample)
	w.obey(w.Pool.Begin(0))
	next, more := stream.Next() // the schedule is streamed, so its length costs no memory
	limit := end + drain
	for second := time.Duration(0); ; {
		at, what := w.Pool.Deadline(), advance
		if e, ok := w.agenda.first(); ok && e.at <= at {
			at, what = e.at, event
		}
		if more && next.At < at {
			at, what = next.At, arrive
		}
		if at > limit || !more && len(w.open) == 0 && at >= end {
			break
		}
		for ; w.Second != nil && second <= at; second += time.Second {
			w.Second(second)
		}
		w.now = at
		switch what {
		case advance:
			w.obey(w.Pool.Advance(at))
		case event:
			w.happen(w.agenda.pop())
		case arrive:
			w.arrive(next)
			next, more = stream.Next()
		}
	}
	w.leaveOpen()
}

type step uint8

const (
	advance step = iota
	event
	arrive
)

func (w *World) arrive(a arrival.Arrival) {
	s := w.sample()
	*s = rundir.Sample{Index: a.Index, Phase: a.Phase, Function: a.Function, Scheduled: int64(a.At), Sent: int64(a.At)}
	w.open[a.Index] = s
	if w.Timeout > 0 {
		w.agenda.push(entry{at: a.At + w.Timeout, kind: givesUp, request: a.Index})
	}
	w.obey(w.Pool.Arrive(a.At, a.Index))
}

func (w *World) happen(e entry) {
	switch e.kind {
	case becomesReady:
		w.obey(w.Pool.Ready(w.now, e.worker))
	case finishes:
		if s, ok := w.open[e.request]; ok {
			s.Outcome, s.Status, s.ServiceNS = rundir.OK, 200, int64(e.service)
			w.answer(s)
		}
		w.obey(w.Pool.Done(w.now, e.worker, e.service))
	case givesUp:
		if s, ok := w.open[e.request]; ok {
			s.Outcome = rundir.ErrTimeout
			w.answer(s)
			w.obey(w.Pool.Advance(w.now)) // Cancel counts as of the pool's last input
			w.Pool.Cancel(e.request)
		}
	}
}

func (w *World) obey(commands []pool.Command) {
	for _, c := range commands {
		switch c.Op {
		case pool.Start:
			w.agenda.push(entry{at: w.now + w.Start, kind: becomesReady, worker: c.Worker})
		case pool.Assign:
			w.assign(c)
		case pool.Reject:
			if s, ok := w.open[c.Request]; ok {
				s.Outcome, s.Status = rundir.ErrStatus5xx, 503
				w.answer(s)
			}
		case pool.Decide:
			if w.Decided != nil {
				w.Decided(w.now)
			}
		}
	}
}

func (w *World) assign(c pool.Command) {
	service := w.Service.draw(w.Random)
	if s, ok := w.open[c.Request]; ok {
		if int(s.Function) < len(w.Asked) && w.Asked[s.Function] > 0 {
			service = w.Asked[s.Function]
		}
		s.Path, s.Worker = paths[c.Path], int64(c.Worker)
		s.QueueWaitNS, s.StartWaitNS = int64(c.QueueWait), int64(c.StartWait)
	}
	service += w.Overhead // the worker's own clock has it, and so has the pool's estimate
	w.agenda.push(entry{at: w.now + service, kind: finishes, worker: c.Worker, request: c.Request, service: service})
}

var paths = [pool.NumPaths]rundir.Path{
	pool.Warm: rundir.PathWarm, pool.Queued: rundir.PathQueued,
	pool.Fresh: rundir.PathFresh, pool.Fallback: rundir.PathFallback,
}

// answer ends a request now and hands it out.
func (w *World) answer(s *rundir.Sample) {
	delete(w.open, s.Index)
	s.Done = int64(w.now)
	w.Answered(s)
	w.spare = append(w.spare, s)
}

func (w *World) leaveOpen() {
	for _, s := range w.open {
		s.Outcome = rundir.OpenAtEnd
		w.Answered(s)
	}
	clear(w.open)
}

func (w *World) sample() *rundir.Sample {
	if n := len(w.spare); n > 0 {
		s := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return s
	}
	return new(rundir.Sample)
}
