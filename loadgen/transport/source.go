package transport

import (
	"errors"
	"time"

	"edgebench/loadgen/transport/response"
)

// A Request is what goes on the wire for one ticket.
type Request struct {
	Bytes   []byte                // all of it, header and body, sent as it is; not empty
	Lasting bool                  // the bytes never change, so a part that has to wait needs no copy
	Timeout time.Duration         // from sent to the last byte of the response; > 0
	Expect  *response.Expectation // nil: a 2xx with a body or none
}

// A Source makes the requests of one shard, on its thread. The bytes of one
// that is not Lasting are good until the next is asked for. What it makes
// depends on the ticket alone (and on the time, where a signature holds it),
// never on which shard or in which order.
type Source interface{ Request(Ticket) Request }

// Sources makes a source for each shard.
type Sources func() Source

// Always is the source of one request for every ticket.
func Always(r Request) Sources {
	r.Lasting = true
	return func() Source { return always{r} }
}

type always struct{ request Request }

func (a always) Request(Ticket) Request { return a.request }

// ErrNoRequests is a configuration without sources.
var ErrNoRequests = errors.New("no requests: nothing says what to send")
