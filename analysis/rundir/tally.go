package rundir

import (
	"errors"
	"fmt"
	"time"
)

// A Tally is the exact account of some requests, usually those of one phase:
// counts that reconcile and the distributions of their times. The zero value
// is empty and ready. It is not safe for concurrent use: each producer has its
// own, merged at the end.
type Tally struct {
	// ColdThreshold calls a response cold by its service time (the round trip
	// as a client sees it, sent-based); 0 for no such measure. All tallies of
	// a run have the same.
	ColdThreshold time.Duration

	Scheduled uint64
	Outcomes  [NumOutcomes]uint64    // every scheduled request once
	Drops     [NumDropReasons]uint64 // of Outcomes[Dropped]
	Paths     [NumPaths]uint64       // of Outcomes[OK], as the node marked them
	Cold      ColdCounts             // of Outcomes[OK]
	Bytes     uint64                 // received

	Lag         Distribution // of everything sent, without the wait for a connection
	ConnectWait Distribution // of what waited for a connection to be opened, and was sent
	Service     Distribution // of Outcomes[OK], from sent
	Response    Distribution // of Outcomes[OK], from scheduled
	Failed      Distribution // of the errors, from scheduled to the error: the time users lost
}

// ColdCounts sets the node's mark (truth) beside the threshold on the service
// time. Responses without a mark count only in ByThreshold.
type ColdCounts struct {
	Marked      uint64 `json:"marked"` // responses that told their truth
	Truth       uint64 `json:"truth"`  // of them cold
	ByThreshold uint64 `json:"by_threshold"`

	TruePositive  uint64 `json:"true_positive"`  // cold, and above the threshold
	FalsePositive uint64 `json:"false_positive"` // not cold, but above it
	FalseNegative uint64 `json:"false_negative"` // cold, but not above it
	TrueNegative  uint64 `json:"true_negative"`
}

// Add counts one request.
func (t *Tally) Add(s *Sample) {
	t.Scheduled++
	t.Outcomes[s.Outcome]++
	if s.Outcome == Dropped {
		t.Drops[s.Drop]++
		return
	}
	t.Lag.Add(s.Lag())
	if s.ConnectWaitNS > 0 {
		t.ConnectWait.Add(s.ConnectWaitNS)
	}
	t.Bytes += uint64(s.Bytes)
	switch {
	case s.Outcome == OK:
		t.Service.Add(s.Done - s.Sent)
		t.Response.Add(s.Done - s.Scheduled)
		t.Paths[s.Path]++
		t.Cold.add(s, t.ColdThreshold)
	case s.Outcome.IsError():
		t.Failed.Add(s.Done - s.Scheduled)
	}
}

func (c *ColdCounts) add(s *Sample, threshold time.Duration) {
	above := threshold > 0 && s.Done-s.Sent > int64(threshold)
	if above {
		c.ByThreshold++
	}
	truth := s.ColdTruth()
	if truth == MarkNone {
		return
	}
	c.Marked++
	if truth == MarkYes {
		c.Truth++
	}
	switch {
	case threshold <= 0: // nothing to compare with
	case truth == MarkYes && above:
		c.TruePositive++
	case truth == MarkYes:
		c.FalseNegative++
	case above:
		c.FalsePositive++
	default:
		c.TrueNegative++
	}
}

// ColdTruth is whether the node said this request met a cold start: by the
// path it took, else by the profile's cold header.
func (s *Sample) ColdTruth() Mark {
	switch {
	case s.Path == PathUnknown:
		return s.Cold
	case s.Path.Cold():
		return MarkYes
	}
	return MarkNo
}

// Merge adds all of other, which must have the same threshold.
func (t *Tally) Merge(other *Tally) {
	if t.ColdThreshold == 0 {
		t.ColdThreshold = other.ColdThreshold
	}
	t.Scheduled += other.Scheduled
	t.Bytes += other.Bytes
	for i, n := range other.Outcomes {
		t.Outcomes[i] += n
	}
	for i, n := range other.Drops {
		t.Drops[i] += n
	}
	for i, n := range other.Paths {
		t.Paths[i] += n
	}
	t.Cold.Merge(other.Cold)
	t.Lag.Merge(&other.Lag)
	t.ConnectWait.Merge(&other.ConnectWait)
	t.Service.Merge(&other.Service)
	t.Response.Merge(&other.Response)
	t.Failed.Merge(&other.Failed)
}

// Merge adds all of other.
func (c *ColdCounts) Merge(other ColdCounts) {
	c.Marked += other.Marked
	c.Truth += other.Truth
	c.ByThreshold += other.ByThreshold
	c.TruePositive += other.TruePositive
	c.FalsePositive += other.FalsePositive
	c.FalseNegative += other.FalseNegative
	c.TrueNegative += other.TrueNegative
}

// OK is the number of complete responses with an expected status.
func (t *Tally) OK() uint64 { return t.Outcomes[OK] }

// Dropped is the number of requests that were scheduled and never sent.
func (t *Tally) Dropped() uint64 { return t.Outcomes[Dropped] }

// OpenAtEnd is the number of requests unanswered when the drain timeout ended.
func (t *Tally) OpenAtEnd() uint64 { return t.Outcomes[OpenAtEnd] }

// Sent is the number of requests put on the wire.
func (t *Tally) Sent() uint64 { return t.OK() + t.Errors() + t.OpenAtEnd() }

// Errors is the number of requests that were sent and failed.
func (t *Tally) Errors() (n uint64) {
	for o := OpenAtEnd + 1; o < NumOutcomes; o++ {
		n += t.Outcomes[o]
	}
	return n
}

// Check reports every way in which the counts do not reconcile: scheduled =
// sent + dropped, sent = ok + errors + open at end, and each distribution
// holds as many values as there are requests it is about.
func (t *Tally) Check() error {
	var drops uint64
	for _, n := range t.Drops {
		drops += n
	}
	var faults []error
	for _, c := range []struct {
		what       string
		have, want uint64
	}{
		{"scheduled = sent + dropped", t.Scheduled, t.Sent() + t.Dropped()},
		{"dropped = sum of the reasons", t.Dropped(), drops},
		{"lags = sent", t.Lag.N, t.Sent()},
		{"service times = ok", t.Service.N, t.OK()},
		{"response times = ok", t.Response.N, t.OK()},
		{"failure times = errors", t.Failed.N, t.Errors()},
	} {
		if c.have != c.want {
			faults = append(faults, fmt.Errorf("%w: %s does not hold: %d ≠ %d", ErrConservation, c.what, c.have, c.want))
		}
	}
	if t.ConnectWait.N > t.Sent() {
		faults = append(faults, fmt.Errorf("%w: %d waits for a connection of %d sent", ErrConservation, t.ConnectWait.N, t.Sent()))
	}
	return errors.Join(faults...)
}

// ErrConservation marks a run whose requests are not all accounted for. It is
// a fault of the program that made the run, never of the target.
var ErrConservation = errors.New("counts do not reconcile")
