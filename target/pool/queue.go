package pool

import "time"

// ring is a FIFO that grows and never shrinks, so that it stops allocating once
// it has been as long as it gets.
type ring[T any] struct {
	slots []T // a power of two, so that a position is a mask away
	head  int
	size  int
}

func (r *ring[T]) push(x T) {
	if r.size == len(r.slots) {
		bigger := make([]T, max(16, 2*len(r.slots)))
		n := copy(bigger, r.slots[r.head:])
		copy(bigger[n:], r.slots[:r.head])
		r.slots, r.head = bigger, 0
	}
	*r.at(r.size) = x
	r.size++
}

// at is the i-th slot from the head.
func (r *ring[T]) at(i int) *T { return &r.slots[(r.head+i)&(len(r.slots)-1)] }

func (r *ring[T]) drop() {
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.size--
}

// A request waits in the queue.
type request struct {
	id      uint64
	arrived time.Duration
	order   uint64 // of all inputs, to tell before from after at one instant
	gone    bool   // cancelled: skipped when it reaches the head
}

// queue holds the requests that wait for a worker.
type queue struct {
	ring[request]
	live int // without those that are gone
}

func (q *queue) add(r request) {
	q.push(r)
	q.live++
}

// restore puts a request back before those that came after it.
func (q *queue) restore(r request) {
	q.add(r)
	for i := q.size - 1; i > 0 && q.at(i-1).order > r.order; i-- {
		*q.at(i), *q.at(i - 1) = *q.at(i - 1), *q.at(i)
	}
}

// first returns the request that has waited longest.
func (q *queue) first() (request, bool) {
	for q.size > 0 {
		if r := *q.at(0); !r.gone {
			return r, true
		}
		q.drop()
	}
	return request{}, false
}

// pop removes what first returned.
func (q *queue) pop() {
	q.drop()
	q.live--
}

// cancel takes the request out of the queue and reports whether it was there.
// It searches: cancellation is rare, and a queue long enough for the search to
// matter belongs to a node that is lost already.
func (q *queue) cancel(id uint64) bool {
	for i := range q.size {
		if r := q.at(i); r.id == id && !r.gone {
			r.gone = true
			q.live--
			return true
		}
	}
	return false
}
