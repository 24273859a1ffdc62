package twin

import "time"

type kind uint8

const (
	becomesReady kind = iota // a worker's start succeeds
	finishes                 // a worker has executed its request
	givesUp                  // a client's timeout
)

// An entry is something that will happen.
type entry struct {
	at      time.Duration
	order   uint64 // of entries at the same instant, the one planned first happens first
	kind    kind
	worker  uint64
	request uint64
	service time.Duration
}

// agenda is a binary heap by instant; container/heap would box every entry.
type agenda struct {
	heap  []entry
	order uint64
}

func (a *agenda) first() (entry, bool) {
	if len(a.heap) == 0 {
		return entry{}, false
	}
	return a.heap[0], true
}

func (a *agenda) before(i, j int) bool {
	x, y := &a.heap[i], &a.heap[j]
	return x.at < y.at || x.at == y.at && x.order < y.order
}

func (a *agenda) push(e entry) {
	a.order++
	e.order = a.order
	a.heap = append(a.heap, e)
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.before(i, parent) {
			break
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

func (a *agenda) pop() entry {
	top := a.heap[0]
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	a.heap = a.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && a.before(child+1, child) {
			child++
		}
		if !a.before(child, i) {
			return top
		}
		a.heap[i], a.heap[child] = a.heap[child], a.heap[i]
		i = child
	}
}
