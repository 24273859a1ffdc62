package pool

import (
	"slices"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
)

// feedback is the weight of one measured service time in the estimate of T:
// about the last 20 requests, so that an exponential law does not make the
// target jump.
const feedback = 0.05

// A Pool is the state of a node's requests and workers. It is not safe for
// concurrent use. The commands an input returns are valid until the next input.
type Pool struct {
	cfg    Config
	policy policy.Policy
	rule   dispatch.Dispatch
	out    []Command

	waiting queue
	order   uint64 // arrivals and readiness, counted together

	workers  map[uint64]*worker
	spare    []*worker
	open     []dispatch.Candidate // pool workers with a free token, in order of Since
	slots    []bool               // taken
	lastID   uint64
	starting int // pool workers
	busy     int // pool workers with a request in them
	taken    int // tokens of pool workers
	oneOffs  int // in any state
	delayed  ring[delay]

	ready   level // pool workers that are up
	running level // executions in pool workers

	inside  presence
	scale   scale
	service float64 // estimate of T in ns
	counts  Counts
	closed  bool
}

// New makes an empty pool. The policy and the rule belong to it from now on.
func New(cfg Config, p policy.Policy, rule dispatch.Dispatch) (*Pool, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Tokens, cfg.Servers = max(cfg.Tokens, 1), max(cfg.Servers, 1)
	return &Pool{
		cfg: cfg, policy: p, rule: rule,
		workers: make(map[uint64]*worker),
		service: float64(cfg.ServiceTime),
		scale:   newScale(cfg),
	}, nil
}

// Begin starts the workers the policy wants before its first decision.
func (p *Pool) Begin(now time.Duration) []Command {
	p.input(now)
	p.scale.windowStart = now
	if i, ok := p.policy.(policy.Initial); ok {
		p.scale.last = p.bound(i.Initial())
		p.launch(now, p.scale.last.Target, Initial)
	}
	return p.out
}

// Arrive is a request that came. Its id is the caller's and must not be that of
// another request that waits.
func (p *Pool) Arrive(now time.Duration, id uint64) []Command {
	p.input(now)
	p.counts.Arrivals++
	p.scale.arrivals++
	p.order++
	if p.closed {
		p.reject(id, Shutdown)
		return p.out
	}
	r := request{id: id, arrived: now, order: p.order}
	if len(p.open) > 0 {
		p.inside.move(1)
		if w := p.pick(); w.running < p.cfg.Servers {
			p.run(w, 1)
			p.assign(w, Command{Request: id, Path: Warm})
		} else {
			p.scale.waited++
			w.inside.add(r)
		}
		return p.out
	}
	p.scale.waited++
	if p.cfg.QueueLimit > 0 && p.waiting.live >= p.cfg.QueueLimit {
		p.reject(id, QueueFull)
		return p.out
	}
	p.inside.move(1)
	p.waiting.add(r)
	switch p.cfg.Miss {
	case MissSpawn:
		p.launch(now, min(1, p.missing()), BySpawn)
	case MissOneOff:
		if p.cfg.MissWait == 0 {
			p.startOneOffs(now)
		}
	}
	return p.out
}

// Cancel is a client that has gone, at the instant of the last input: a caller
// that keeps time calls Advance first. It reports whether the request waited, and
// so will be neither assigned nor rejected; one that executes already goes on.
func (p *Pool) Cancel(id uint64) bool {
	found := p.waiting.cancel(id)
	for _, w := range p.workers {
		if found {
			break
		}
		switch {
		case w.bound && w.request.id == id:
			w.bound, found = false, true // the one-off is stopped when its start is reported
		case w.inside.cancel(id):
			found = true
			p.hold(w, -1)
			p.free(p.inside.now, w) // no command: its servers are taken, else nothing waited inside
		}
	}
	if found {
		p.inside.move(-1)
		p.counts.Cancelled++
	}
	return found
}

// Ready is a worker whose start has succeeded. One that is not known, because
// the pool was closed meanwhile, is stopped.
func (p *Pool) Ready(now time.Duration, id uint64) []Command {
	p.input(now)
	w := p.workers[id]
	switch {
	case w == nil:
		p.command(Command{Op: Stop, Worker: id, Reason: Shutdown})
	case w.oneOff:
		p.scale.recovered()
		p.readyOneOff(now, w)
	case p.cfg.StartDelay > 0:
		p.delayed.push(delay{worker: id, due: now + p.cfg.StartDelay})
	default:
		p.available(now, w)
	}
	return p.out
}

// available makes a started pool worker take its first request, or rest.
func (p *Pool) available(now time.Duration, w *worker) {
	p.scale.recovered()
	p.order++
	w.up, w.ready, w.order = true, now, p.order
	p.starting--
	p.ready.move(now, 1)
	p.free(now, w)
}

// free lets a worker with a free token or server use it: what waits inside goes
// on, then the queue's head comes in.
func (p *Pool) free(now time.Duration, w *worker) {
	for w.load < p.cfg.Tokens {
		r, ok := p.waiting.first()
		if !ok {
			break
		}
		p.waiting.pop()
		p.hold(w, 1)
		w.inside.add(r)
	}
	p.serve(now, w)
	p.list(now, w)
}

// serve begins what waits inside a worker, as far as it has servers.
func (p *Pool) serve(now time.Duration, w *worker) {
	for w.running < p.cfg.Servers {
		r, ok := w.inside.first()
		if !ok {
			return
		}
		w.inside.pop()
		p.execute(now, w, r)
	}
}

// execute begins a request that has waited.
func (p *Pool) execute(now time.Duration, w *worker, r request) {
	p.run(w, 1)
	c := Command{Request: r.id, Path: Queued, QueueWait: now - r.arrived}
	if w.order > r.order { // it was not ready when the request came
		c.Path, c.QueueWait, c.StartWait = Fresh, now-w.ready, w.ready-r.arrived
	}
	p.assign(w, c)
}

// Done is a worker that has executed its request in service, as measured inside
// the worker, and can take another.
func (p *Pool) Done(now time.Duration, id uint64, service time.Duration) []Command {
	p.input(now)
	w := p.workers[id]
	if w == nil || w.running == 0 {
		return p.out
	}
	p.inside.move(-1)
	p.service += feedback * (float64(max(service, 0)) - p.service)
	w.served++
	if w.oneOff {
		p.stop(w, OneOffDone)
		p.startOneOffs(now)
		return p.out
	}
	p.run(w, -1)
	p.hold(w, -1)
	p.free(now, w)
	return p.out
}

// Died is a worker whose process has ended, or was killed by the caller for
// not answering. The requests it executed are the caller's to answer; those that
// waited inside it go back to the head of the queue.
func (p *Pool) Died(now time.Duration, id uint64) []Command {
	p.input(now)
	w := p.workers[id]
	if w == nil {
		return p.out
	}
	if !w.up {
		p.startFailed(now, w)
		return p.out
	}
	p.counts.Deaths++
	p.inside.move(-w.running)
	for r, ok := w.inside.first(); ok; r, ok = w.inside.first() {
		w.inside.pop()
		p.waiting.restore(r)
	}
	stillborn := w.served == 0 && now-w.ready < time.Second
	oneOff := w.oneOff
	p.remove(w)
	if stillborn {
		p.scale.backOff(now)
	}
	switch {
	case oneOff:
		p.startOneOffs(now)
	case p.size() < p.scale.last.Target:
		p.launch(now, 1, Replace)
	}
	for p.waiting.live > 0 && len(p.open) > 0 { // what came back may find room at once
		r, _ := p.waiting.first()
		p.waiting.pop()
		other := p.pick()
		other.inside.add(r)
		p.serve(now, other)
	}
	return p.out
}

// StartFailed is a worker that could not be started.
func (p *Pool) StartFailed(now time.Duration, id uint64) []Command {
	p.input(now)
	if w := p.workers[id]; w != nil {
		p.startFailed(now, w)
	}
	return p.out
}

// Close stops every worker that executes nothing, rejects what waits and
// starts nothing more. Busy workers are stopped too: call it when they have
// finished, or when the time to wait for them is over.
func (p *Pool) Close() []Command {
	p.out = p.out[:0]
	p.closed = true
	for r, ok := p.waiting.first(); ok; r, ok = p.waiting.first() {
		p.waiting.pop()
		p.refuse(r.id, Shutdown)
	}
	ids := make([]uint64, 0, len(p.workers))
	for id := range p.workers {
		ids = append(ids, id)
	}
	slices.Sort(ids) // the same order on every run
	for _, id := range ids {
		w := p.workers[id]
		if w.bound {
			p.refuse(w.request.id, Shutdown)
		}
		for r, ok := w.inside.first(); ok; r, ok = w.inside.first() {
			w.inside.pop()
			p.refuse(r.id, Shutdown)
		}
		p.stop(w, Shutdown)
	}
	return p.out
}

// input is the beginning of every input that has an instant.
func (p *Pool) input(now time.Duration) {
	p.out = p.out[:0]
	p.inside.now = now
}

func (p *Pool) command(c Command) { p.out = append(p.out, c) }

func (p *Pool) assign(w *worker, c Command) {
	c.Op, c.Worker = Assign, w.id
	p.counts.Assigned[c.Path]++
	p.command(c)
}

func (p *Pool) reject(id uint64, why Reason) {
	p.counts.Rejected[why]++
	p.command(Command{Op: Reject, Request: id, Reason: why})
}

// refuse rejects a request that was let in.
func (p *Pool) refuse(id uint64, why Reason) {
	p.inside.move(-1)
	p.reject(id, why)
}

func (p *Pool) stop(w *worker, why Reason) {
	p.counts.Stopped[why]++
	p.command(Command{Op: Stop, Worker: w.id, OneOff: w.oneOff, Reason: why})
	p.remove(w)
}
