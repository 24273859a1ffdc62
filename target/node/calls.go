package node

import (
	"time"

	"edgebench/target/reactor"
)

// A call is an invocation between its arrival and its answer.
type call struct {
	id      uint64 // the pool's request id: the place in calls
	ticket  reactor.Ticket
	service time.Duration // drawn at arrival, so that the order of arrival fixes it
	body    []byte
	open    bool
}

// calls gives invocations a place; places are used again, their buffers too.
type calls struct {
	all  []*call
	free []*call
}

func (c *calls) open(t reactor.Ticket, service time.Duration, body []byte) *call {
	var x *call
	if n := len(c.free); n > 0 {
		x, c.free = c.free[n-1], c.free[:n-1]
	} else {
		x = &call{id: uint64(len(c.all))}
		c.all = append(c.all, x)
	}
	x.ticket, x.service, x.open = t, service, true
	x.body = append(x.body[:0], body...)
	return x
}

func (c *calls) close(x *call) {
	x.open = false
	c.free = append(c.free, x)
}

// find searches, because clients that leave are rare.
func (c *calls) find(t reactor.Ticket) *call {
	for _, x := range c.all {
		if x.open && x.ticket == t {
			return x
		}
	}
	return nil
}
