package transport

// Waiting is a ticket without a connection, and when on the run's clock a
// connect began for it; NoConnect while none has.
type Waiting struct {
	Ticket Ticket
	Since  int64
}

// NoConnect is the Since of a ticket no connect was begun for: whatever it waits
// for is not the network.
const NoConnect = -1 << 63

// A Queue holds the tickets that wait for a connection, first in first out; the
// zero value is empty. Connects are begun for the first of them. It grows to the
// most that ever waited and allocates no more after that.
type Queue struct {
	items []Waiting // a ring
	head  int
	n     int
	begun int // of the first tickets, those with a connect
}

// Len is how many wait.
func (q *Queue) Len() int { return q.n }

// Push adds a ticket at the end.
func (q *Queue) Push(t Ticket) {
	q.room()
	*q.at(q.n) = Waiting{t, NoConnect}
	q.n++
}

// Return puts one that was popped back at the front.
func (q *Queue) Return(w Waiting) {
	q.room()
	q.head = (q.head + len(q.items) - 1) % len(q.items)
	*q.at(0) = w
	q.n++
	if q.begun > 0 || w.Since != NoConnect {
		q.begun++
	}
}

// Pop takes the first, of which there must be one.
func (q *Queue) Pop() Waiting {
	w := *q.at(0)
	q.head = (q.head + 1) % len(q.items)
	q.n--
	q.begun = max(q.begun-1, 0)
	return w
}

// Begun tells that so many connects are under way at the instant now: they are
// for the tickets that wait longest.
func (q *Queue) Begun(connects int, now int64) {
	for ; q.begun < min(connects, q.n); q.begun++ {
		if w := q.at(q.begun); w.Since == NoConnect {
			w.Since = now
		}
	}
}

func (q *Queue) at(i int) *Waiting { return &q.items[(q.head+i)%len(q.items)] }

func (q *Queue) room() {
	if q.n < len(q.items) {
		return
	}
	grown := make([]Waiting, max(16, 2*q.n))
	for i := range q.n {
		grown[i] = *q.at(i)
	}
	q.items, q.head = grown, 0
}
