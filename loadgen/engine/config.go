package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/record"
	"edgebench/loadgen/transport"
	"edgebench/profiles/arrival"
)

// A Schedule says when requests are to be sent. Every Stream yields the same
// arrivals.
type Schedule interface {
	Phases() []arrival.Phase
	Functions() []arrival.Function // nil where all requests are of one
	Stream() arrival.Stream
}

// Open makes the transport of one shard, its connections warmed.
type Open func(context.Context, transport.Options) (transport.Transport, error)

// Config of a run.
type Config struct {
	Schedule Schedule
	Open     Open

	// Share is the part of the schedule that is played here, the rest being
	// other generators'; the zero value is all of it. All below is about the
	// share: MaxInFlight are its own requests in flight.
	Share arrival.Share

	// Shards is the number of event loops, each a thread; 0 means as many as
	// the highest rate of the share needs, at most one a processor. The k-th
	// request of the share belongs to shard k mod Shards, so the schedule is the
	// same for any number.
	Shards int

	Precision Precision
	Late      Late

	// MaxInFlight bounds the requests sent and unanswered, of all shards
	// together: above it a request is dropped, with that reason. 0 means what
	// the limit on open files allows, and where that is less than usual the
	// reason is the exhausted files. At least one a shard.
	MaxInFlight int

	// Connections is how many to open before the first phase, of all shards
	// together, at most MaxInFlight. 0 means one a shard, which finds a target
	// that is not there.
	Connections int

	// Drain is how long after the last send (or after a stop) to wait for the
	// responses still missing; >= 0. Sending itself may go on for as long after
	// the end of the schedule, and for a second at least; what a generator that
	// is behind has not sent by then is dropped as late.
	Drain time.Duration

	// Abort ends the run at once when closed: what is in flight is open at
	// end. nil for never. A cancelled context only stops sending, and drains.
	Abort <-chan struct{}

	ColdThreshold time.Duration         // see rundir.Tally; 0 for none
	Sink          record.Sink           // takes the rows; nil for none
	RowEvery      int                   // the sink gets one row of so many requests, see record.Config; 0 for all
	Interval      func(rundir.Interval) // hears every second, in order; nil for none
	Started       func(zero time.Time)  // hears the start of the schedule shortly before it comes; nil for none

	// Begin is asked for the start of the schedule once everything is ready,
	// and may take its time. An instant that has passed is the start all the
	// same: what was due since is sent late. nil for at once; the instant needs
	// a monotonic reading.
	Begin func(context.Context) (time.Time, error)
}

// validate reports every fault at once.
func (c Config) validate() error {
	var faults []error
	if c.Schedule == nil || len(c.Schedule.Phases()) == 0 {
		faults = append(faults, errors.New("no schedule"))
	}
	if c.Open == nil {
		faults = append(faults, errors.New("no transport"))
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"shards", c.Shards}, {"max in flight", c.MaxInFlight}, {"connections", c.Connections}, {"row every", c.RowEvery}} {
		if n.value < 0 {
			faults = append(faults, fmt.Errorf("%s %d: must not be negative", n.name, n.value))
		}
	}
	if c.MaxInFlight > 0 && c.MaxInFlight < c.Shards {
		faults = append(faults, fmt.Errorf("max in flight %d: below one for each of %d shards", c.MaxInFlight, c.Shards))
	}
	if c.MaxInFlight > 0 && c.Connections > c.MaxInFlight {
		faults = append(faults, fmt.Errorf("connections %d: more than max in flight %d", c.Connections, c.MaxInFlight))
	}
	if c.Drain < 0 {
		faults = append(faults, fmt.Errorf("drain timeout %v: must not be negative", c.Drain))
	}
	faults = append(faults, c.Precision.validate(), c.Late.validate(c.Precision))
	return errors.Join(faults...)
}

// resolve fills in the defaults, with the limit on open files already raised
// to files, on so many processors.
func (c Config) resolve(files uint64, processors int) Config {
	if c.Shards == 0 {
		c.Shards = shardsFor(c.Share.Rate(Peak(c.Schedule.Phases())), processors, c.Precision)
		if c.MaxInFlight > 0 {
			c.Shards = min(c.Shards, c.MaxInFlight)
		}
	}
	if c.MaxInFlight == 0 {
		c.MaxInFlight = max(inFlightFor(files), c.Shards)
	}
	if c.Connections == 0 {
		c.Connections = c.Shards
	}
	c.Connections = min(c.Connections, c.MaxInFlight)
	return c
}
