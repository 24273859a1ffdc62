package arrival

import (
	"math/rand/v2"
	"time"
)

// Stream starts at the first arrival. Every call gives the same sequence. The
// stream holds constant memory, its Next does not allocate, and it is not safe
// for concurrent use: shards take one each.
func (s *Schedule) Stream() Stream {
	switch {
	case s.whole != nil:
		return &limited{s.whole.Stream(), s.limit}
	case s.source != nil:
		return s.source.stream(s)
	case s.own:
		return s.ownStreams()
	}
	st := &stream{schedule: s, gaps: s.gapsAt(Random(s.seed, "arrivals"), 1)}
	if s.choice != nil {
		st.lots = Random(s.seed, "function choice")
	}
	return st
}

type stream struct {
	schedule *Schedule
	gaps     Gaps
	lots     *rand.PCG // chooses functions; nil for one function
	sum      float64   // of the gaps so far: the cumulative rate at the next arrival
	index    uint64
	last     time.Duration

	// The current phase; next is 0 before the first.
	next          int
	from, to      float64 // cumulative rate at its edges
	start, length time.Duration
	curve         Curve
}

// Next implements Stream.
func (st *stream) Next() (Arrival, bool) {
	st.sum += st.gaps.Next()
	for st.sum >= st.to {
		if !st.advance() {
			return Arrival{}, false
		}
	}
	// The edges are snapped to whole counts, so the curve may fall short of them
	// by a rounding: an arrival stays inside its phase, and behind the last one.
	at := st.start + min(st.curve.Instant(st.sum-st.from), st.length-1)
	at = max(at, st.last)
	a := Arrival{Index: st.index, At: at, Phase: int32(st.next - 1)}
	if st.lots != nil {
		a.Function = st.schedule.choice.draw(st.lots)
	}
	st.index++
	st.last = at
	return a, true
}

// advance enters the next phase. After the last it says false, each time.
func (st *stream) advance() bool {
	if st.next == len(st.schedule.phases) {
		return false
	}
	p := &st.schedule.phases[st.next]
	st.from, st.to = st.schedule.cumulative[st.next], st.schedule.cumulative[st.next+1]
	st.start, st.length, st.curve = p.Start, p.Length, p.Curve
	st.next++
	return true
}
