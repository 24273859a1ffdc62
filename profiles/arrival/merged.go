package arrival

import "time"

// A track is the arrivals of one function, in order of time.
type track interface {
	next() (time.Duration, bool)
}

// merged joins the tracks of all functions in order of time, of equal instants the
// first function's first. It is a binary heap of one arrival a function;
// container/heap would box every one.
type merged struct {
	schedule *Schedule
	tracks   []track
	heap     []head
	index    uint64
	phase    int
}

type head struct {
	at       time.Duration
	function int32
}

func newMerged(s *Schedule, tracks []track) *merged {
	m := &merged{schedule: s, tracks: tracks}
	for i, t := range tracks {
		if at, ok := t.next(); ok {
			m.heap = append(m.heap, head{at, int32(i)})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// Next implements Stream.
func (m *merged) Next() (Arrival, bool) {
	if len(m.heap) == 0 {
		return Arrival{}, false
	}
	top := m.heap[0]
	phase, ok := m.schedule.phaseAt(top.at, m.phase)
	if !ok {
		m.heap = nil
		return Arrival{}, false
	}
	m.phase = phase
	if at, more := m.tracks[top.function].next(); more {
		m.heap[0].at = at
	} else {
		last := len(m.heap) - 1
		m.heap[0] = m.heap[last]
		m.heap = m.heap[:last]
	}
	m.sink(0)
	a := Arrival{Index: m.index, At: top.at, Phase: int32(phase), Function: top.function}
	m.index++
	return a, true
}

func (m *merged) before(i, j int) bool {
	x, y := m.heap[i], m.heap[j]
	return x.at < y.at || x.at == y.at && x.function < y.function
}

func (m *merged) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if child+1 < len(m.heap) && m.before(child+1, child) {
			child++
		}
		if !m.before(child, i) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}
