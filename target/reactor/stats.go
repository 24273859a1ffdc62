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

// Stats may be called from any goroutine; the counts are each exact and not of
// one instant.
func (r *Reactor) Stats() Stats {
	c := &r.counters
	closed := c.closed.Load() // before accepted, so that Open is never negative
	accepted := c.accepted.Load()
	return Stats{
		Accepted: accepted,
		Open:     accepted - closed,
		Refused:  c.refused.Load(),
		Requests: c.requests.Load(),
		Faults:   c.faults.Load(),
		TimedOut: c.timedOut.Load(),
		Broken:   c.broken.Load(),
		Stale:    c.stale.Load(),
		Waits:    c.waits.Load(),
	}
}
