package net

import (
	"math"
	"math/rand/v2"
)

// server is the state of a queueing place's queue.
type server struct {
	*queue
	clock   int32
	rng     *rand.Rand
	waiting []ring // by class, the highest first
	jobs    jobs   // in service

	// PS runs on a virtual clock that advances by what each job has been given:
	// a job ends when the clock has advanced by its service time, so a change of
	// the number of jobs moves only the one next event.
	virtual, since float64
}

func (q *server) clear() {
	for i := range q.waiting {
		q.waiting[i].clear()
	}
	q.jobs = q.jobs[:0]
	q.virtual, q.since = 0, 0
}

// enqueue is the arrival of a token at a queue.
func (s *Sim) enqueue(q *server, p *population, e entry) {
	switch q.discipline {
	case PS:
		q.advance(s.now)
		q.jobs.push(job{q.virtual + s.draught(q, e), e.slot, e.tok})
		p.busy = min(int32(len(q.jobs)), q.servers)
		s.clocks.set(q.clock, q.nextPS(s.now))
	case IS:
		s.begin(q, e)
		p.busy++
	default:
		if p.busy < q.servers {
			s.begin(q, e)
			p.busy++
			return
		}
		q.waiting[q.class[s.prog.slots[e.slot].colour]].push(e)
	}
}

// draught draws the service time of a token.
func (s *Sim) draught(q *server, e entry) float64 {
	return q.laws[s.prog.slots[e.slot].colour].Sample(q.rng)
}

// begin puts a token on a free server.
func (s *Sim) begin(q *server, e entry) {
	q.jobs.push(job{s.now + s.draught(q, e), e.slot, e.tok})
	s.clocks.set(q.clock, q.jobs[0].at)
}

// serve ends the service that is due and starts the next.
func (s *Sim) serve(q *server) {
	done := q.jobs[0]
	p := &s.places[q.place]
	s.touch(p)
	if q.discipline == PS {
		q.virtual, q.since = done.at, s.now
		q.jobs.pop()
		p.busy = min(int32(len(q.jobs)), q.servers)
		s.clocks.set(q.clock, q.nextPS(s.now))
	} else if e, any := q.next(); any {
		q.jobs.replace(job{s.now + s.draught(q, e), e.slot, e.tok})
		s.clocks.set(q.clock, q.jobs[0].at)
	} else {
		q.jobs.pop()
		p.busy--
		at := math.Inf(1)
		if len(q.jobs) > 0 {
			at = q.jobs[0].at
		}
		s.clocks.set(q.clock, at)
	}
	s.release(done.slot, done.tok)
}

// next removes the token to be served next.
func (q *server) next() (entry, bool) {
	for i := range q.waiting {
		if w := &q.waiting[i]; w.n > 0 {
			if q.discipline == LIFO {
				return w.last(), true
			}
			return w.first(), true
		}
	}
	return entry{}, false
}

// advance brings the virtual clock of PS to now.
func (q *server) advance(now float64) {
	if n := len(q.jobs); n > 0 {
		q.virtual += (now - q.since) * q.rate()
	} else {
		q.virtual = 0 // nobody is there: start afresh, with all digits
	}
	q.since = now
}

func (q *server) rate() float64 { return min(1, float64(q.servers)/float64(len(q.jobs))) }

func (q *server) nextPS(now float64) float64 {
	if len(q.jobs) == 0 {
		return math.Inf(1)
	}
	return max(now, now+(q.jobs[0].at-q.virtual)/q.rate())
}
