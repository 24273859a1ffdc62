package arrival

import (
	"io"
	"math"
	"time"
)

// A Source is arrivals that were recorded, or are made from what was: a Recording
// or a Counts. It takes the place of a rate and a law.
type Source interface {
	Length() time.Duration // of the whole
	Functions() []Function // nil for one; the slice is shared
	Kind() string          // of the phases: Phase.Kind
	String() string        // one line, for people
	describe(w io.Writer)  // everything the arrivals are computed from
	stream(s *Schedule) Stream
	// expected is the mean number of arrivals in [from, to) and its variance.
	expected(from, to time.Duration) (mean, variance float64)
	// curve is the rate over a phase, of a resolution that suits the source.
	curve(start, length time.Duration) Curve
}

// NewRecorded makes a schedule of what a source has. Phases have a length and no
// curve; they only divide the time, and what comes after the last is left out.
// Without phases there is one, of the source's kind, name and length.
func NewRecorded(phases []Phase, source Source, seed uint64) (*Schedule, error) {
	if len(phases) == 0 {
		phases = []Phase{{Name: source.Kind(), Cycle: 1, Length: source.Length()}}
	}
	parts := make([]Phase, len(phases))
	var start time.Duration
	for i, p := range phases {
		if p.Length > 0 { // else NewSchedule says so
			p.Curve, p.Kind = source.curve(start, p.Length), source.Kind()
		}
		parts[i] = p
		start += min(p.Length, MaxLength-start)
	}
	s, err := newSchedule(parts, seed)
	if err != nil {
		return nil, err
	}
	var sum compensated
	for i, p := range s.phases {
		mean, variance := source.expected(p.Start, p.Start+p.Length)
		sum.add(mean)
		s.cumulative[i+1] = snap(sum.value())
		s.variance += variance
	}
	s.source, s.functions = source, source.Functions()
	if err := s.checkExpected(); err != nil {
		return nil, err
	}
	return s, nil
}

// Source is where the arrivals come from, nil where a law makes them.
func (s *Schedule) Source() Source { return s.source }

// Deviation is the standard deviation of the number of arrivals over seeds, in
// the long run: the count of a law's arrivals varies by its dispersion, that of
// the even law and of recorded instants not at all.
func (s *Schedule) Deviation() float64 {
	if s.source != nil {
		return math.Sqrt(s.variance)
	}
	var variance float64
	if _, even := s.law.(Even); even && s.own {
		for _, f := range s.functions { // each is rounded up or down by its lot
			_, part := math.Modf(float64(f.Share * s.Expected()))
			variance += float64(part * (1 - part))
		}
		return math.Sqrt(variance)
	}
	for i, p := range s.phases {
		if s.whole != nil && i == len(s.phases)-1 {
			break // holds its count exactly
		}
		variance += float64(dispersion(s.law, s.ExpectedIn(i)/seconds(p.Length)) * s.ExpectedIn(i))
	}
	return math.Sqrt(variance)
}

// disperser is implemented by laws whose gaps depend on each other.
type disperser interface{ Dispersion(rate float64) float64 }

// dispersion is the limit of variance over mean of a law's counts; for
// independent gaps it is their squared coefficient of variation.
func dispersion(law Law, rate float64) float64 {
	if d, ok := law.(disperser); ok {
		return d.Dispersion(rate)
	}
	return law.SCV()
}

// binned is a curve of the phase [start, start+length) from counts per bin of the
// given width, which begin at instant 0.
func binned(counts []float64, width float64, start, length time.Duration) Curve {
	var steps []Step
	end := start + length
	for i := int(float64(start) / width); i < len(counts) && float64(float64(i)*width) < float64(end); i++ {
		from := max(start, time.Duration(float64(i)*width))
		to := min(end, time.Duration(float64(i+1)*width))
		if to <= from {
			continue
		}
		rate := counts[i] / (width / 1e9)
		if n := len(steps); n > 0 && steps[n-1].Rate == rate {
			steps[n-1].Length += to - from
		} else {
			steps = append(steps, Step{Rate: rate, Length: to - from})
		}
	}
	var covered time.Duration
	for _, s := range steps {
		covered += s.Length
	}
	if covered < length {
		steps = append(steps, Step{Length: length - covered})
	}
	return NewSteps(steps)
}
