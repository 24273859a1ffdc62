package slots

// Deadlines keeps who waits in the order of their deadlines. Those of one
// timeout are added in that order anyway, so each timeout has a list, and there
// are few timeouts. The zero value is empty.
type Deadlines[T any] struct{ classes []class[T] }

type class[T any] struct {
	timeout int64
	list    List[T]
}

// Add puts a slot at now + timeout. For one timeout, now never goes back.
func (d *Deadlines[T]) Add(s *Slot[T], now, timeout int64) {
	s.deadline = now + timeout
	for i := range d.classes {
		if d.classes[i].timeout == timeout {
			s.class = int32(i)
			d.classes[i].list.Push(s)
			return
		}
	}
	s.class = int32(len(d.classes))
	d.classes = append(d.classes, class[T]{timeout: timeout})
	d.classes[s.class].list.Push(s)
}

// Remove takes out one that was added.
func (d *Deadlines[T]) Remove(s *Slot[T]) { d.classes[s.class].list.Remove(s) }

// Earliest is whose deadline comes first, and when; nil when nobody waits.
func (d *Deadlines[T]) Earliest() (*T, int64) {
	var first *Slot[T]
	for i := range d.classes {
		if s := d.classes[i].list.first; s != nil && (first == nil || s.deadline < first.deadline) {
			first = s
		}
	}
	if first == nil {
		return nil, 0
	}
	return first.item, first.deadline
}

// Deadline is when the slot was to end; what Add said last.
func (s *Slot[T]) Deadline() int64 { return s.deadline }
