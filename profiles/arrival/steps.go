package arrival

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Step is a constant rate for a time.
type Step struct {
	Rate   float64       // requests/s, finite and ≥ 0
	Length time.Duration // > 0
}

// Steps is a curve of constant rates in turn, begun again after the last one. Make
// one with NewSteps.
type Steps struct {
	steps []Step
	ends  []time.Duration // of each step
	count []float64       // expected arrivals up to each end
}

// NewSteps joins at least one step. It does not look at the rates: NewSchedule
// does.
func NewSteps(steps []Step) Steps {
	s := Steps{steps: slices.Clone(steps)}
	var sum compensated
	var end time.Duration
	for _, st := range steps {
		end += st.Length
		sum.add(Constant(st.Rate).Count(st.Length))
		s.ends = append(s.ends, end)
		s.count = append(s.count, sum.value())
	}
	return s
}

// Length of one round.
func (s Steps) Length() time.Duration { return s.ends[len(s.ends)-1] }

// before is what was over when step i of a round begins.
func (s Steps) before(i int) (time.Duration, float64) {
	if i == 0 {
		return 0, 0
	}
	return s.ends[i-1], s.count[i-1]
}

// Rate implements Curve. At the end of a round it is the last rate, so that a
// phase of one round ends with it.
func (s Steps) Rate(t time.Duration) float64 {
	if rest := t % s.Length(); rest > 0 || t == 0 {
		t = rest
	} else {
		t = s.Length() - 1
	}
	return s.steps[s.at(t)].Rate
}

// at is the step of an instant of the round.
func (s Steps) at(t time.Duration) int {
	i, found := slices.BinarySearch(s.ends, t)
	if found {
		i++ // an edge belongs to the later step
	}
	return i
}

// Peak implements Peaker.
func (s Steps) Peak() float64 {
	most := 0.0
	for _, st := range s.steps {
		most = max(most, st.Rate)
	}
	return most
}

// Count implements Curve.
func (s Steps) Count(t time.Duration) float64 {
	rounds, rest := t/s.Length(), t%s.Length()
	total := s.count[len(s.count)-1]
	i := s.at(rest)
	start, before := s.before(i)
	return float64(float64(rounds)*total) + (before + Constant(s.steps[i].Rate).Count(rest-start))
}

// Instant implements Curve.
func (s Steps) Instant(count float64) time.Duration {
	total := s.count[len(s.count)-1]
	if total <= 0 {
		return Never
	}
	rounds := float64(int64(max(count, 0) / total))
	if !(float64(rounds*float64(s.Length())) < 1<<62) {
		return Never
	}
	rest := max(count, 0) - float64(rounds*total)
	// The first step whose end exceeds the count: silent ones are passed over.
	i, _ := slices.BinarySearchFunc(s.count, rest, func(end, rest float64) int {
		if end > rest {
			return 1
		}
		return -1
	})
	base := time.Duration(rounds) * s.Length()
	if i == len(s.count) { // by a rounding
		return base + s.Length()
	}
	start, before := s.before(i)
	return base + start + min(Constant(s.steps[i].Rate).Instant(rest-before), s.steps[i].Length)
}

// Kind names the phase.
func (s Steps) Kind() string {
	if s.Peak() == 0 {
		return "idle"
	}
	return "steps"
}

// String writes every step.
func (s Steps) String() string {
	var b strings.Builder
	for _, st := range s.steps {
		fmt.Fprintf(&b, " %s for %v", rateText(st.Rate), st.Length)
	}
	return "steps" + b.String()
}
