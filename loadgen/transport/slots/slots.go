// Package slots keeps a transport's connections: reusable places for them,
// found again by the token the poller gives back, and the lists they stand in.
// Everything is a few pointer writes and allocates only when more connections
// are open than ever before.
package slots

// A Slot is what a connection embeds to be kept. It stands in at most one List
// or Deadlines at a time.
type Slot[T any] struct {
	item       *T
	number     uint32
	generation uint32
	taken      bool

	prev, next *Slot[T]
	deadline   int64 // while in Deadlines
	class      int32
}

// Token is what the poller is told. It is another one each time the slot is
// taken, so that an event for an earlier connection finds nothing.
func (s *Slot[T]) Token() uint64 { return uint64(s.generation)<<32 | uint64(s.number) }

// slabSize is how many are allocated together.
const slabSize = 64

// A Pool holds the slots.
type Pool[T any] struct {
	of   func(*T) *Slot[T]
	all  []*Slot[T]
	free []*Slot[T]
}

// NewPool makes an empty pool; of tells where a T embeds its slot.
func NewPool[T any](of func(*T) *Slot[T]) Pool[T] { return Pool[T]{of: of} }

// Take returns one that is free. It is as its last holder left it.
func (p *Pool[T]) Take() *T {
	if len(p.free) == 0 {
		p.grow()
	}
	s := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	// Half the range keeps every token below the poller's own.
	s.generation = (s.generation + 1) & (1<<31 - 1)
	s.taken = true
	return s.item
}

func (p *Pool[T]) grow() {
	slab := make([]T, slabSize)
	first := len(p.all)
	for i := range slab {
		s := p.of(&slab[i])
		s.item, s.number = &slab[i], uint32(first+i)
		p.all = append(p.all, s)
	}
	for i := range slab { // popped from the end, so lowest numbers first
		p.free = append(p.free, p.all[first+slabSize-1-i])
	}
}

// Give frees a slot that is in no list.
func (p *Pool[T]) Give(s *Slot[T]) {
	s.taken = false
	p.free = append(p.free, s)
}

// Find returns who has the token, nil when that one was given back.
func (p *Pool[T]) Find(token uint64) *T {
	s := p.all[uint32(token)]
	if !s.taken || s.generation != uint32(token>>32) {
		return nil
	}
	return s.item
}

// Taken calls visit for each that is taken, which may give it back.
func (p *Pool[T]) Taken(visit func(*T)) {
	for _, s := range p.all {
		if s.taken {
			visit(s.item)
		}
	}
}

// A List is a doubly linked list through the slots. The zero value is empty.
type List[T any] struct{ first, last *Slot[T] }

// Push adds at the end.
func (l *List[T]) Push(s *Slot[T]) {
	s.prev, s.next = l.last, nil
	if l.last != nil {
		l.last.next = s
	} else {
		l.first = s
	}
	l.last = s
}

// Remove takes out one that is in the list.
func (l *List[T]) Remove(s *Slot[T]) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		l.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		l.last = s.prev
	}
	s.prev, s.next = nil, nil
}

// Last is the one pushed last, nil in an empty list.
func (l *List[T]) Last() *T {
	if l.last == nil {
		return nil
	}
	return l.last.item
}
