package pool

import (
	"slices"
	"time"

	"edgebench/target/dispatch"
)

// A worker is what the pool starts and stops as one, from Start until the pool
// stops it or hears of its death. It admits Config.Tokens requests, executes
// Config.Servers of them at once, and the others wait inside it.
type worker struct {
	id     uint64
	slot   int // -1 for a one-off
	oneOff bool
	up     bool // available: its start is over, StartDelay included
	listed bool // in Pool.open: up, and with a free token
	served int

	load    int   // tokens taken: requests that execute or wait inside
	running int   // of these, those that execute
	inside  queue // the others

	asked time.Duration // start asked for
	ready time.Duration // up since
	order uint64        // of becoming available, against a request's order

	// The request of a one-off while it starts; bound is false once the client is gone.
	request request
	bound   bool
}

// add makes a worker that starts. Ids count from 1 and are never reused.
func (p *Pool) add(now time.Duration, oneOff bool) *worker {
	p.lastID++
	w := new(worker)
	if n := len(p.spare); n > 0 {
		w, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	*w = worker{id: p.lastID, slot: -1, oneOff: oneOff, asked: now, inside: w.inside} // keeps its memory
	p.workers[w.id] = w
	if oneOff {
		p.oneOffs++
		return w
	}
	p.starting++
	w.slot = slices.Index(p.slots, false)
	if w.slot < 0 {
		w.slot = len(p.slots)
		p.slots = append(p.slots, false)
	}
	p.slots[w.slot] = true
	return w
}

// remove forgets a worker, in which nothing waits any more.
func (p *Pool) remove(w *worker) {
	if w.oneOff {
		p.oneOffs--
	} else {
		p.slots[w.slot] = false
		p.unlist(w)
		p.run(w, -w.running)
		p.hold(w, -w.load)
		if w.up {
			p.ready.move(p.inside.now, -1)
		} else {
			p.starting--
		}
	}
	delete(p.workers, w.id)
	p.spare = append(p.spare, w)
}

// hold takes or gives back tokens.
func (p *Pool) hold(w *worker, by int) {
	was := w.load > 0
	w.load += by
	p.taken += by
	switch is := w.load > 0; {
	case is && !was:
		p.busy++
	case was && !is:
		p.busy--
	}
}

// run begins or ends executions.
func (p *Pool) run(w *worker, by int) {
	w.running += by
	p.running.move(p.inside.now, by)
}

// list puts a worker that has just become ready or ended a request in its place
// among those with a free token. now never decreases, so that place is the end.
func (p *Pool) list(now time.Duration, w *worker) {
	p.unlist(w)
	if w.load < p.cfg.Tokens {
		w.listed = true
		p.open = append(p.open, dispatch.Candidate{ID: w.id, Slot: w.slot, Since: now, Served: w.served, Load: w.load})
	}
}

func (p *Pool) unlist(w *worker) {
	if !w.listed {
		return
	}
	w.listed = false
	i := slices.IndexFunc(p.open, func(c dispatch.Candidate) bool { return c.ID == w.id })
	p.open = slices.Delete(p.open, i, i+1)
}

// pick takes a token of the worker that the rule chooses, of one at least.
func (p *Pool) pick() *worker {
	i := p.rule.Pick(p.open)
	w := p.workers[p.open[i].ID]
	p.hold(w, 1)
	p.open[i].Load = w.load
	if w.load == p.cfg.Tokens {
		w.listed = false
		p.open = slices.Delete(p.open, i, i+1)
	}
	return w
}

// size is the number of pool workers, one-offs excepted.
func (p *Pool) size() int { return p.starting + p.ready.n }
