package reactor

import (
	"container/heap"
	"time"
)

// A Timer calls a function once on the loop's thread. Its methods belong to
// that thread.
type Timer struct {
	reactor  *Reactor
	call     func()
	at       time.Duration
	sequence uint64 // timers of one instant run in the order they were set
	place    int    // in the heap, -1 when not set
}

// AfterFunc calls call on the loop's thread when d has passed. It is itself
// only to be called there, or before Run.
func (r *Reactor) AfterFunc(d time.Duration, call func()) *Timer {
	t := &Timer{reactor: r, call: call, place: -1}
	t.Reset(d)
	return t
}

// Stop keeps the timer from running and reports whether it was set.
func (t *Timer) Stop() bool {
	if t.place < 0 {
		return false
	}
	heap.Remove(&t.reactor.timers, t.place)
	return true
}

// Reset sets the timer to run when d has passed from now, and not before.
func (t *Timer) Reset(d time.Duration) {
	t.Stop()
	t.at = t.reactor.Now() + max(d, 0)
	t.reactor.timerCount++
	t.sequence = t.reactor.timerCount
	heap.Push(&t.reactor.timers, t)
}

// runTimers runs what was due when the loop woke. What a timer sets anew for
// at once waits for the next turn, so that no timer can hold the loop.
func (r *Reactor) runTimers() {
	last := r.timerCount
	for len(r.timers) > 0 && r.timers[0].at <= r.now && r.timers[0].sequence <= last {
		t := heap.Pop(&r.timers).(*Timer)
		t.call()
	}
}

type timerHeap []*Timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].sequence < h[j].sequence
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*Timer)
	t.place = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.place = -1
	return t
}
