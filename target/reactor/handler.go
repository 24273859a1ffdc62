package reactor

import "edgebench/target/httpwire"

// A Handler answers requests. It is called on the loop's thread and must not block.
type Handler interface {
	// Serve answers at once, or returns later = true and answers the ticket
	// through Complete. The request, its body included, holds during the call
	// only; the response's slices are copied before the next call.
	Serve(req *httpwire.Request, t Ticket) (r httpwire.Response, later bool)
}

// A Canceler is a Handler that wants to know of clients that left. Cancel is
// called on the loop's thread, for each ticket still unanswered. With gone the
// connection is no more and an answer would be dropped; without, the client
// has only ended its sending, as most do that give up, but some still read.
type Canceler interface {
	Cancel(t Ticket, gone bool)
}

// A Ticket is a request that waits for its answer. It is comparable and holds
// nothing alive; the zero Ticket is no request's. A connection's place is used
// again after it closed, so the generation tells an old ticket from a new one.
type Ticket struct {
	loop, slot, generation, sequence uint32
}
