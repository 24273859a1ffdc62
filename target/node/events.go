package node

import (
	"strconv"
	"sync"
	"time"

	"edgebench/target/httpwire"
)

// ringSize is how many events are kept. 64 one-offs of half a second each, four
// events a life, fill it in 16 s.
const ringSize = 8192

// events is a bounded ring of encoded events. It has a lock because runtimes
// tell theirs from goroutines of their own.
type events struct {
	mu    sync.Mutex
	lines [ringSize][]byte // by sequence number modulo ringSize; buffers are reused
	last  uint64           // sequence number, from 1
}

// add records an event. fields adds what the event has beside its sequence
// number, time and name; nil for nothing. Times are of the real-time clock,
// which the node shares with a load generator on the same machine.
func (e *events) add(name string, fields func(*object)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	slot := &e.lines[e.last%ringSize]
	o := object{(*slot)[:0]}
	o.open()
	o.count("seq", e.last)
	o.integer("unix_ns", time.Now().UnixNano())
	o.text("event", name)
	if fields != nil {
		fields(&o)
	}
	o.close()
	*slot = append(o.done(), '\n')
}

// since returns the events after a sequence number and how many of those are
// lost because the ring has gone round.
func (e *events) since(after uint64) (lines []byte, last, lost uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	from := min(after, e.last) + 1
	if e.last >= ringSize && from <= e.last-ringSize {
		oldest := e.last - ringSize + 1
		lost, from = oldest-from, oldest
	}
	for seq := from; seq <= e.last; seq++ {
		lines = append(lines, e.lines[seq%ringSize]...)
	}
	return lines, e.last, lost
}

// serveEvents answers GET /events?after=SEQ.
func (n *Node) serveEvents(req *httpwire.Request) httpwire.Response {
	after := uint64(0)
	if text, given := parameter(string(req.Query()), "after"); given {
		var err error
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return plain(400, "after="+text+": not a sequence number\n")
		}
	}
	lines, last, lost := n.events.since(after)
	header := httpwire.AppendHeaderInt(nil, "X-Events-Last", int64(last))
	header = httpwire.AppendHeaderInt(header, "X-Events-Lost", int64(lost))
	return httpwire.Response{Type: "application/x-ndjson", Header: header, Body: lines}
}
