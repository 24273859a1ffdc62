package transport

import "time"

// A Clock is the run's clock: nanoseconds since the start of the schedule on
// CLOCK_MONOTONIC, negative before it. One is shared by all shards; Start is
// called once, before anyone depends on what Now says.
type Clock struct{ zero time.Time }

// NewClock returns a clock whose zero is now, until Start settles it.
func NewClock() *Clock { return &Clock{zero: time.Now()} }

// Start sets the zero instant, which may lie in the future. It must have a
// monotonic reading, as those of time.Now have.
func (c *Clock) Start(zero time.Time) { c.zero = zero }

// Now is the time on the clock.
func (c *Clock) Now() int64 { return int64(time.Since(c.zero)) }
