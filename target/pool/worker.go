package pool

import (
	"time"

	"edgebench/target/dispatch"
)

type state uint8

const (
	starting state = iota // start asked for, or ready and held back by StartDelay
	idle
	busy
)

// A worker is a process as the pool sees it, from Start until the pool stops
// it or hears of its death.
type worker struct {
	id     uint64
	state  state
	oneOff bool
	served int

	asked time.Duration // start asked for
	ready time.Duration // available, for other states than starting
	order uint64        // of becoming available, against a request's order

	// The request of a one-off while it starts; bound is false once the client is gone.
	request request
	bound   bool
}

// add makes a worker in state starting. Ids count from 1 and are never reused.
func (p *Pool) add(now time.Duration, oneOff bool) *worker {
	p.lastID++
	var w *worker
	if n := len(p.spare); n > 0 {
		w, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		w = new(worker)
	}
	*w = worker{id: p.lastID, oneOff: oneOff, asked: now}
	p.workers[w.id] = w
	if oneOff {
		p.oneOffs++
	} else {
		p.starting++
	}
	return w
}

// remove forgets a worker in any state; idle ones leave the idle list too.
func (p *Pool) remove(w *worker) {
	switch {
	case w.oneOff:
		p.oneOffs--
	case w.state == starting:
		p.starting--
	case w.state == busy:
		p.busy--
	default:
		for i := range p.idle {
			if p.idle[i].ID == w.id {
				p.unlist(i)
				break
			}
		}
	}
	delete(p.workers, w.id)
	p.spare = append(p.spare, w)
}

// unlist takes entry i out of the idle list and keeps its order.
func (p *Pool) unlist(i int) {
	p.idle = append(p.idle[:i], p.idle[i+1:]...)
}

// rest makes a free worker idle. now never decreases, so the list stays in the
// order of idleness.
func (p *Pool) rest(now time.Duration, w *worker) {
	w.state = idle
	p.idle = append(p.idle, dispatch.Candidate{ID: w.id, Since: now, Served: w.served})
}

// size is the number of pool workers, one-offs excepted.
func (p *Pool) size() int { return p.starting + len(p.idle) + p.busy }
