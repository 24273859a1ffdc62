package record

import (
	"edgebench/analysis/rundir"
)

const secondNS = int64(1e9)

// keptSeconds bounds the seconds of a shard that wait for the watcher. When it
// is that far behind, a shard goes on counting in the same second.
const keptSeconds = 16

// A second is what one shard did in one second, more or less: a shard that was
// stalled hands over later, and a count is never lost for it.
type second struct {
	rundir.Interval
	shard    int
	next     int64 // first second of this shard's clock that is not in here
	inFlight int64 // sent and unanswered; carried on from second to second

	lag, response rundir.Distribution
}

func (s *second) done(sample *rundir.Sample) {
	if sample.Outcome == rundir.Dropped {
		s.Dropped++
		return
	}
	s.inFlight--
	switch {
	case sample.Outcome == rundir.OK:
		s.OK++
		s.response.Add(sample.Done - sample.Scheduled)
		if sample.ColdTruth() == rundir.MarkYes {
			s.Cold++
		}
	case sample.Outcome.IsError():
		s.Errors++
	}
}

// begin makes s ready for another second.
func (s *second) begin(number, inFlight int64) {
	s.Interval = rundir.Interval{Second: number}
	s.inFlight = inFlight
	s.lag.Reset()
	s.response.Reset()
}

// add merges what another shard did in the same second. In-flight counts are
// states and not events: the watcher adds them up itself.
func (s *second) add(other *second) {
	s.Scheduled += other.Scheduled
	s.Sent += other.Sent
	s.OK += other.OK
	s.Errors += other.Errors
	s.Dropped += other.Dropped
	s.Cold += other.Cold
	s.lag.Merge(&other.lag)
	s.response.Merge(&other.response)
}

// Roll hands over the second that has ended, if any, at the instant now of the
// run's clock, and returns the instant at which to call it again. Together with
// it goes what there is of rows, so that a slow run is seen as it happens.
func (s *Shard) Roll(now int64) int64 {
	current := max(now, 0) / secondNS // what comes before the start belongs to the first second
	if current > s.now.Second {
		s.hand()
		s.roll(current)
	}
	return (current + 1) * secondNS
}

func (s *Shard) roll(current int64) {
	fresh := s.spare()
	if fresh == nil {
		s.now.Second = current // the watcher is far behind: this second grows
		return
	}
	ended := s.now
	fresh.begin(current, ended.inFlight)
	ended.next = current
	s.now = fresh
	s.recorder.seconds <- ended // has room: there are no more seconds than places
}

func (s *Shard) spare() *second {
	select {
	case fresh := <-s.idle:
		return fresh
	default:
	}
	if s.made == keptSeconds {
		return nil
	}
	s.made++
	return &second{shard: s.number}
}
