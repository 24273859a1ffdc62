package reactor

import (
	"fmt"

	"edgebench/target/epoll"
)

// watchBit marks the tokens of watches. A generation of 30 bits keeps them apart
// from the listener's and the poller's own.
const (
	watchBit         = 1 << 63
	watchGenerations = 1<<30 - 1
)

// A Watch calls a function whenever a descriptor is readable, or its other end is
// gone. Its methods belong to the loop's thread.
type Watch struct {
	reactor    *Reactor
	fd         int
	slot       uint32
	generation uint32
	ready      func() // nil after Stop
}

// Watch has ready called on the loop's thread while there is something to read
// from fd: again each turn, until it is read. It is itself only to be called there.
func (r *Reactor) Watch(fd int, ready func()) (*Watch, error) {
	w := r.vacantWatch()
	w.fd, w.ready = fd, ready
	if err := r.poller.Add(fd, epoll.In, w.token()); err != nil {
		w.vacate()
		return nil, fmt.Errorf("watch: %w", err)
	}
	return w, nil
}

// Stop ends the watch. It comes before the descriptor is closed: a child of this
// process that still has a copy would keep the kernel's side of it alive. A second call does nothing.
func (w *Watch) Stop() {
	if w.Stopped() {
		return
	}
	_ = w.reactor.poller.Remove(w.fd) // it fails only for a descriptor that is not watched
	w.vacate()
}

// Stopped reports whether Stop was called.
func (w *Watch) Stopped() bool { return w.ready == nil }

func (w *Watch) token() uint64 {
	return watchBit | uint64(w.generation)<<32 | uint64(w.slot)
}

func (w *Watch) vacate() {
	w.reactor.freeWatches = append(w.reactor.freeWatches, w.slot)
	w.ready = nil
}

// vacantWatch gives a watch a place. A place's next watch has another generation,
// so an event of the one before, found in the same turn, is not taken for its.
func (r *Reactor) vacantWatch() *Watch {
	w := &Watch{reactor: r}
	if n := len(r.freeWatches); n > 0 {
		w.slot, r.freeWatches = r.freeWatches[n-1], r.freeWatches[:n-1]
		w.generation = (r.watches[w.slot].generation + 1) & watchGenerations
		r.watches[w.slot] = w
		return w
	}
	w.slot = uint32(len(r.watches))
	r.watches = append(r.watches, w)
	return w
}

// watched takes an event of a watch.
func (r *Reactor) watched(token uint64) {
	w := r.watches[uint32(token)]
	if !w.Stopped() && w.token() == token {
		w.ready()
	}
}
