package arrival

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// MaxLength bounds a whole schedule: 100 years of 365 days.
const MaxLength = 100 * 365 * 24 * time.Hour

// maxExpected keeps running sums exact for the even law.
const maxExpected = 1 << 53

// A Schedule is a pure function of phases, law and seed. It holds no arrivals:
// they are computed as they are asked for. It is safe for concurrent use.
type Schedule struct {
	phases     []Phase
	cumulative []float64 // expected arrivals before each phase, then in all
	law        Law
	seed       uint64
	functions  []Function // nil for one
	choice     *alias     // of a function for each arrival; nil for one, or for streams of their own
	own        bool       // every function has a stream of its own
	source     Source     // in place of a law; nil for none
	variance   float64    // of the number of arrivals of a source
	whole      *Schedule  // what Until cut this one from; nil for none
	limit      uint64     // arrivals taken of whole
}

// NewSchedule joins phases, whose Start is filled in (and Kind, where empty), and
// reports every fault at once.
func NewSchedule(phases []Phase, law Law, seed uint64) (*Schedule, error) {
	s, err := newSchedule(phases, seed)
	if law == nil {
		err = errors.Join(err, errors.New("schedule: no law"))
	}
	if err != nil {
		return nil, err
	}
	s.law = law
	return s, nil
}

// newSchedule joins the phases.
func newSchedule(phases []Phase, seed uint64) (*Schedule, error) {
	s := &Schedule{phases: slices.Clone(phases), cumulative: make([]float64, 1, len(phases)+1), seed: seed}
	var faults []error
	if len(phases) == 0 {
		faults = append(faults, errors.New("schedule: no phases"))
	}
	var start time.Duration
	var sum compensated
	for i := range s.phases {
		p := &s.phases[i]
		count, err := phaseCount(p)
		if err == nil && p.Length > MaxLength-start {
			err = fmt.Errorf("the schedule is longer than %d h", int(MaxLength.Hours()))
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("phase %d %q: %w", i, p.Name, err))
			continue
		}
		if p.Kind == "" {
			p.Kind = kindOf(p.Curve)
		}
		p.Start = start
		start += p.Length
		sum.add(count)
		s.cumulative = append(s.cumulative, max(snap(sum.value()), s.cumulative[len(s.cumulative)-1]))
	}
	return s, errors.Join(append(faults, s.checkExpected())...)
}

func (s *Schedule) checkExpected() error {
	if s.Expected() > maxExpected {
		return fmt.Errorf("schedule: %.4g arrivals are more than 2^53", s.Expected())
	}
	return nil
}

// phaseCount is the integral over a phase, or why the phase is unusable.
func phaseCount(p *Phase) (float64, error) {
	if p.Length <= 0 {
		return 0, fmt.Errorf("length %v is not above 0", p.Length)
	}
	if p.Curve == nil {
		return 0, errors.New("no curve")
	}
	for _, t := range []time.Duration{0, p.Length} {
		if r := p.Curve.Rate(t); !(r >= 0) || math.IsInf(r, 1) {
			return 0, fmt.Errorf("rate %v at %v is not a finite number of at least 0", r, t)
		}
	}
	if r := p.Peak(); !(r >= 0) || math.IsInf(r, 1) {
		return 0, fmt.Errorf("highest rate %v is not a finite number of at least 0", r)
	}
	count := p.Curve.Count(p.Length)
	if !(count >= 0) || math.IsInf(count, 1) {
		return 0, fmt.Errorf("count %v is not a finite number of at least 0", count)
	}
	return snap(count), nil
}

// Phases in order, cycles flattened. The slice is shared: read it only.
func (s *Schedule) Phases() []Phase { return s.phases }

// Law is the inter-arrival law, nil where a Source has the arrivals.
func (s *Schedule) Law() Law { return s.law }

// Seed is what the arrivals were drawn from.
func (s *Schedule) Seed() uint64 { return s.seed }

// Duration from the start to the end of the last phase.
func (s *Schedule) Duration() time.Duration {
	last := s.phases[len(s.phases)-1]
	return last.Start + last.Length
}

// Expected is the integral of the rate: the mean number of arrivals. The even law
// has exactly this many, rounded up.
func (s *Schedule) Expected() float64 { return s.cumulative[len(s.cumulative)-1] }

// ExpectedIn is Expected for one phase.
func (s *Schedule) ExpectedIn(phase int) float64 {
	return snap(s.cumulative[phase+1] - s.cumulative[phase])
}
