package transport

// Waiting is a ticket without a connection, and when on the run's clock it
// began to wait.
type Waiting struct {
	Ticket Ticket
	Since  int64
}

// A Queue holds the tickets that wait for a connection, first in first out; the
// zero value is empty. It grows to the most that ever waited and allocates no
// more after that.
type Queue struct {
	items []Waiting // a ring
	head  int
	n     int
}

// Len is how many wait.
func (q *Queue) Len() int { return q.n }

// Push adds one at the end.
func (q *Queue) Push(w Waiting) {
	if q.n == len(q.items) {
		grown := make([]Waiting, max(16, 2*q.n))
		for i := range q.n {
			grown[i] = q.items[(q.head+i)%len(q.items)]
		}
		q.items, q.head = grown, 0
	}
	q.items[(q.head+q.n)%len(q.items)] = w
	q.n++
}

// Pop takes the first, of which there must be one.
func (q *Queue) Pop() Waiting {
	w := q.items[q.head]
	q.head = (q.head + 1) % len(q.items)
	q.n--
	return w
}
