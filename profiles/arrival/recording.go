package arrival

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// MaxRecorded bounds the arrivals of a Recording, which it holds in memory at 8
// bytes an arrival, 12 where there are several functions.
const MaxRecorded = 50_000_000

// An Instant is one recorded arrival.
type Instant struct {
	At       time.Duration // ≥ 0
	Function int32
}

// A Recording replays instants. It holds them in memory.
type Recording struct {
	name      string
	at        []time.Duration
	function  []int32 // nil for one
	functions []Function
	length    time.Duration
	keep      float64 // probability that an instant is played
}

// NewRecording sorts the instants (which it keeps; equal ones stay in their order)
// and ends one nanosecond after the last, or at length if that is later. name is
// Phase.Kind. functions is nil where there is one; their shares are counted here.
func NewRecording(name string, instants []Instant, functions []Function, length time.Duration) (*Recording, error) {
	if len(instants) == 0 {
		return nil, errors.New("no arrivals")
	}
	if len(instants) > MaxRecorded {
		return nil, fmt.Errorf("%d arrivals are more than %d", len(instants), MaxRecorded)
	}
	slices.SortStableFunc(instants, func(a, b Instant) int { return int(max(-1, min(1, a.At-b.At))) })
	r := &Recording{name: name, at: make([]time.Duration, len(instants)), length: max(length, instants[len(instants)-1].At+1), keep: 1}
	if r.length > MaxLength || instants[0].At < 0 {
		return nil, fmt.Errorf("arrivals from %v to %v: want 0s to %v", instants[0].At, r.length, MaxLength)
	}
	calls := make([]float64, len(functions))
	if len(functions) > 0 {
		r.function = make([]int32, len(instants))
	}
	for i, x := range instants {
		r.at[i] = x.At
		if r.function != nil {
			if x.Function < 0 || int(x.Function) >= len(functions) {
				return nil, fmt.Errorf("function %d of an arrival: there are %d", x.Function, len(functions))
			}
			r.function[i] = x.Function
			calls[x.Function]++
		}
	}
	r.functions = slices.Clone(functions)
	for i := range r.functions {
		r.functions[i].Share = calls[i] / float64(len(instants))
	}
	return r, nil
}

// Scaled plays the recording speed times as fast (> 0), each arrival with
// probability keep in (0, 1], drawn from a stream of its own.
func (r *Recording) Scaled(speed, keep float64) (*Recording, error) {
	if !(keep > 0 && keep <= 1) {
		return nil, fmt.Errorf("scale %v: recorded instants can be thinned (above 0, at most 1), not multiplied", keep)
	}
	q := *r
	q.keep = float64(r.keep * keep)
	if speed != 1 {
		length := float64(r.length) / speed
		if !(length < float64(MaxLength)) {
			return nil, fmt.Errorf("speed %v makes the recording longer than %v", speed, MaxLength)
		}
		q.at = make([]time.Duration, len(r.at))
		for i, t := range r.at {
			q.at[i] = time.Duration(float64(t) / speed)
		}
		q.length = max(time.Duration(length), q.at[len(q.at)-1]+1)
	}
	return &q, nil
}

// Length implements Source.
func (r *Recording) Length() time.Duration { return r.length }

// Functions implements Source.
func (r *Recording) Functions() []Function { return r.functions }

// Kind implements Source.
func (r *Recording) Kind() string { return r.name }

func (r *Recording) String() string {
	return fmt.Sprintf("%s of %d recorded arrivals", r.name, len(r.at))
}

func (r *Recording) describe(w io.Writer) {
	fmt.Fprintf(w, "recording keep %v\n", r.keep)
	var b []byte
	for i, t := range r.at {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(t))
		if r.function != nil {
			b = binary.LittleEndian.AppendUint32(b, uint32(r.function[i]))
		}
		w.Write(b) // a hash takes everything
	}
}

// between is the range of arrivals in [from, to).
func (r *Recording) between(from, to time.Duration) (first, end int) {
	first, _ = slices.BinarySearch(r.at, from)
	end, _ = slices.BinarySearch(r.at, to)
	return first, end
}

func (r *Recording) expected(from, to time.Duration) (mean, variance float64) {
	first, end := r.between(from, to)
	mean = float64(float64(end-first) * r.keep)
	return mean, float64(mean * (1 - r.keep))
}

// maxBins bounds the steps of the curve of a phase.
const maxBins = 1000

func (r *Recording) curve(start, length time.Duration) Curve {
	width := max(length/maxBins, min(length, time.Second))
	bins := int((length + width - 1) / width)
	counts := make([]float64, bins)
	first, end := r.between(start, start+length)
	for _, t := range r.at[first:end] {
		counts[(t-start)/width] += r.keep
	}
	return binned(counts, float64(width), 0, length)
}

func (r *Recording) stream(s *Schedule) Stream {
	st := &recordingStream{recording: r, schedule: s, lots: Random(s.seed, "thinning")}
	if s.choice != nil {
		st.choices = Random(s.seed, "function choice")
	}
	return st
}

type recordingStream struct {
	recording *Recording
	schedule  *Schedule
	lots      *rand.PCG
	choices   *rand.PCG // of a function, where the recording knows none
	next      int
	index     uint64
	phase     int
}

// Next implements Stream.
func (st *recordingStream) Next() (Arrival, bool) {
	r := st.recording
	for st.next < len(r.at) {
		i := st.next
		st.next++
		if r.keep < 1 && uniform(st.lots) > r.keep {
			continue
		}
		var ok bool
		if st.phase, ok = st.schedule.phaseAt(r.at[i], st.phase); !ok {
			break
		}
		a := Arrival{Index: st.index, At: r.at[i], Phase: int32(st.phase)}
		switch {
		case r.function != nil:
			a.Function = r.function[i]
		case st.choices != nil:
			a.Function = st.schedule.choice.draw(st.choices)
		}
		st.index++
		return a, true
	}
	st.next = len(r.at)
	return Arrival{}, false
}

// phaseAt is the phase of an instant at or after phase from; false beyond the last.
func (s *Schedule) phaseAt(t time.Duration, from int) (phase int, ok bool) {
	for from < len(s.phases) && t >= s.phases[from].Start+s.phases[from].Length {
		from++
	}
	return from, from < len(s.phases)
}
