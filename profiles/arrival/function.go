package arrival

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Function is one of several whose requests a schedule holds. Its place in
// Schedule.Functions is what Arrival.Function points at.
type Function struct {
	Name    string
	Share   float64       // expected part of the arrivals, 0 … 1; all of them sum to 1
	Service time.Duration // execution time asked of it; 0 = not known
}

// Functions in order, nil where the schedule is of one. The slice is shared: read
// it only.
func (s *Schedule) Functions() []Function { return s.functions }

// Among is the schedule with every arrival given to one of the functions, drawn
// by their shares, which need not sum to 1. The lots are a random stream of their
// own: the instants stay what they are.
func (s *Schedule) Among(functions []Function) (*Schedule, error) {
	shared, err := normalised(functions)
	if err != nil {
		return nil, err
	}
	split := *s
	split.functions, split.choice = shared, newAlias(shared)
	return &split, nil
}

// Apart is the schedule with a stream of its own for each of the functions: the
// law at the function's share of the rate, from a random stream that its name
// decides. With the even law each begins somewhere in its first gap, so that they
// do not all begin together.
func (s *Schedule) Apart(functions []Function) (*Schedule, error) {
	shared, err := normalised(functions)
	if err != nil {
		return nil, err
	}
	apart := *s
	apart.functions, apart.own = shared, true
	return &apart, nil
}

func (s *Schedule) ownStreams() Stream {
	tracks := make([]track, len(s.functions))
	for i, f := range s.functions {
		src := Random(s.seed, "arrivals of "+f.Name)
		st := &stream{schedule: s}
		if _, even := s.law.(Even); even {
			st.sum = 1/f.Share - float64(uniform(src)/f.Share)
		}
		st.gaps = shareGaps{s.gapsAt(src, f.Share), f.Share}
		tracks[i] = ownTrack{st}
	}
	return newMerged(s, tracks)
}

// shareGaps stretches gaps to a share of the rate.
type shareGaps struct {
	Gaps
	share float64
}

// Next implements Gaps.
func (g shareGaps) Next() float64 { return g.Gaps.Next() / g.share }

// ownTrack is the stream of one function.
type ownTrack struct{ *stream }

func (t ownTrack) next() (time.Duration, bool) {
	a, ok := t.Next()
	return a.At, ok
}

// normalised are the functions with shares that sum to 1.
func normalised(functions []Function) ([]Function, error) {
	var faults []error
	var sum compensated
	if len(functions) == 0 {
		faults = append(faults, errors.New("no functions"))
	}
	for i, f := range functions {
		if !(f.Share > 0) || math.IsInf(f.Share, 1) {
			faults = append(faults, fmt.Errorf("function %d %q: share %v is not a finite number above 0", i, f.Name, f.Share))
			continue
		}
		sum.add(f.Share)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	functions = slices.Clone(functions)
	for i := range functions {
		functions[i].Share /= sum.value()
	}
	return functions, nil
}

// An alias draws an index by weight with one random number, whatever the number
// of weights: column i is drawn evenly, and is i below its edge, else its other
// (A. J. Walker 1977; filled as M. D. Vose 1991 does).
type alias struct {
	edge  []float64 // 0 … 1
	other []int32
}

func newAlias(functions []Function) *alias {
	n := len(functions)
	a := &alias{edge: make([]float64, n), other: make([]int32, n)}
	var small, large []int32
	for i, f := range functions {
		a.edge[i], a.other[i] = float64(f.Share*float64(n)), int32(i)
		if a.edge[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = l
		a.edge[l] -= 1 - a.edge[s]
		if a.edge[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	// What is left over is full but for rounding.
	for _, i := range slices.Concat(small, large) {
		a.edge[i] = 1
	}
	return a
}

func (a *alias) draw(src *rand.PCG) int32 {
	x := float64(uniform(src) * float64(len(a.edge)))
	i := min(int(x), len(a.edge)-1)
	if x-float64(i) > a.edge[i] {
		return a.other[i]
	}
	return int32(i)
}
