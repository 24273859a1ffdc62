package client

import (
	"sync"
	"sync/atomic"

	"edgebench/loadgen/transport"
)

// waiting is a ticket without a connection, and when it began to wait.
type waiting struct {
	ticket transport.Ticket
	since  int64
}

// A queue holds the tickets that wait for a connection, first in first out.
// There are never more of them than connects under way.
type queue struct {
	items []waiting // a ring
	head  int
	n     int
}

func (q *queue) push(w waiting) {
	if q.n == len(q.items) {
		grown := make([]waiting, max(16, 2*q.n))
		for i := range q.n {
			grown[i] = q.items[(q.head+i)%len(q.items)]
		}
		q.items, q.head = grown, 0
	}
	q.items[(q.head+q.n)%len(q.items)] = w
	q.n++
}

func (q *queue) pop() waiting {
	w := q.items[q.head]
	q.head = (q.head + 1) % len(q.items)
	q.n--
	return w
}

// An attempt is a connect that ended: a link, or why there is none.
type attempt struct {
	link  *link
	fault *dialError
}

// arrivals pass from the goroutines that connect to the event loop.
type arrivals struct {
	any  atomic.Bool // spares the loop the lock
	mu   sync.Mutex
	list []attempt
}

func (a *arrivals) add(one attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, one)
	a.any.Store(true)
}

func (a *arrivals) take() []attempt {
	if !a.any.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.list
	a.list = nil
	a.any.Store(false)
	return taken
}
