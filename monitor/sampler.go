package monitor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Sampler takes rows of a node's tree and of our own process at a fixed
// interval. The zero value of each field but Tree means its default.
type Sampler struct {
	// Tree to watch. nil watches our own process only, for a target that is
	// not on this host.
	Tree *Tree

	// Zero is the instant from which Row.At counts, with its monotonic
	// reading. Default: the start of Run.
	Zero time.Time

	// Interval between rows, 10 ms to 1 h, default 1 s.
	Interval time.Duration

	// PSSInterval is in which each process's PSS is read once, 10 ms to 1 h.
	// Default: Interval, but at least 1 s: the readings are what costs.
	PSSInterval time.Duration

	// MaxShare of one core that the sampler may use before it reads PSS less
	// often, above 0 to 1, default 0.1.
	MaxShare float64
}

// Bounds of a sampler's intervals.
const (
	MinInterval = 10 * time.Millisecond
	MaxInterval = time.Hour
)

// Validate reports every fault at once.
func (s Sampler) Validate() error {
	s = s.withDefaults()
	var faults []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"interval", s.Interval}, {"PSS interval", s.PSSInterval}} {
		if d.value < MinInterval || d.value > MaxInterval {
			faults = append(faults, fmt.Errorf("monitor %s %v: outside %v to %v", d.name, d.value, MinInterval, MaxInterval))
		}
	}
	if !(s.MaxShare > 0 && s.MaxShare <= 1) { // written so that NaN fails
		faults = append(faults, fmt.Errorf("monitor share %v: not above 0 and at most 1", s.MaxShare))
	}
	return errors.Join(faults...)
}

func (s Sampler) withDefaults() Sampler {
	if s.Zero.IsZero() {
		s.Zero = time.Now()
	}
	if s.Interval == 0 {
		s.Interval = time.Second
	}
	if s.PSSInterval == 0 {
		s.PSSInterval = max(s.Interval, time.Second)
	}
	if s.MaxShare == 0 {
		s.MaxShare = 0.1
	}
	return s
}

// Run takes a row at once, one each interval and one more when ctx ends, and
// gives each to emit, on a locked thread whose CPU time is the sampler's cost:
// what emit does is part of it. A node that ends does not end the sampling.
//
// A reading that fails is missing from its row and does not stop Run. The
// error after the last row has the number of them and the first.
func (s Sampler) Run(ctx context.Context, emit func(Row)) error {
	if err := s.Validate(); err != nil {
		return err
	}
	r, err := s.withDefaults().start()
	if err != nil {
		return err
	}
	defer r.stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for at := 0; ; {
		timer.Reset(r.until(at))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		// Asked here, because select takes either when both are ready.
		if ctx.Err() != nil {
			r.row(r.now(), 0, emit)
			return r.failure()
		}
		at = r.step(at, emit)
	}
}
