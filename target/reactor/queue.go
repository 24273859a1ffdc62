package reactor

import "edgebench/target/httpwire"

// A pending is a request whose response may not be written yet: it waits for
// its answer, or its answer waits for those of earlier requests.
type pending struct {
	to    httpwire.Reply
	ready bool
	close bool   // the response ends the connection
	out   []byte // the response, once ready
}

// A queue holds the pending requests of a connection in their order, in a ring
// that grows to what was needed and stays.
type queue struct {
	ring  []pending // length 0 or a power of two
	first uint32
	n     uint32
}

func (q *queue) len() int { return int(q.n) }

func (q *queue) at(i uint32) *pending { return &q.ring[(q.first+i)&uint32(len(q.ring)-1)] }

func (q *queue) push(p pending) {
	if int(q.n) == len(q.ring) {
		ring := make([]pending, max(4, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = *q.at(i)
		}
		q.ring, q.first = ring, 0
	}
	q.n++
	*q.at(q.n - 1) = p
}

func (q *queue) pop() pending {
	p := *q.at(0)
	*q.at(0) = pending{}
	q.first++
	q.n--
	return p
}
