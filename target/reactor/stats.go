package reactor

import "sync/atomic"

// Stats are counts since the reactor was made.
type Stats struct {
	Accepted uint64 // connections, without those refused
	Open     uint64 // connections now
	Refused  uint64 // connections answered 503 for want of descriptors or by MaxConnections
	Requests uint64 // given to the handler
	Faults   uint64 // requests refused as malformed or too large
	TimedOut uint64 // requests not finished in time and connections that took nothing of their response
	Broken   uint64 // connections reset by the client or cut while something was owed to it
	Stale    uint64 // answers to requests that were no more, or answered already
	Waits    uint64 // times the loop waited or looked for events
}

type counters struct {
	accepted, closed, refused, requests, faults, timedOut, broken, stale, waits atomic.Uint64
}

// Stats are those of the reactor with its followers. It may be called from any
// goroutine; the counts are each exact and not of one instant.
func (r *Reactor) Stats() Stats {
	var s Stats
	for _, member := range r.loops {
		c := &member.counters
		closed := c.closed.Load() // before accepted, so that Open is never negative
		accepted := c.accepted.Load()
		s.Accepted += accepted
		s.Open += accepted - closed
		s.Refused += c.refused.Load()
		s.Requests += c.requests.Load()
		s.Faults += c.faults.Load()
		s.TimedOut += c.timedOut.Load()
		s.Broken += c.broken.Load()
		s.Stale += c.stale.Load()
		s.Waits += c.waits.Load()
	}
	return s
}

// open is how many connections this loop alone has.
func (r *Reactor) open() uint64 {
	closed := r.counters.closed.Load()
	return r.counters.accepted.Load() - closed
}
