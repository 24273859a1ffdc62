package transport

import "testing"

// Pushes and pops in a rhythm that wraps the ring and grows it while wrapped.
func TestQueueIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	var q Queue
	var in, out uint64
	for round := range 60 {
		for range round % 7 {
			q.Push(Waiting{Ticket: Ticket{Index: in}})
			in++
		}
		for range min(round%5, q.Len()) {
			if w := q.Pop(); w.Ticket.Index != out {
				t.Fatalf("round %d: popped %d, want %d", round, w.Ticket.Index, out)
			}
			out++
		}
		if q.Len() != int(in-out) {
			t.Fatalf("round %d: length %d, want %d", round, q.Len(), in-out)
		}
	}
	for ; q.Len() > 0; out++ {
		if w := q.Pop(); w.Ticket.Index != out {
			t.Fatalf("popped %d, want %d", w.Ticket.Index, out)
		}
	}
	if in != out || in < 100 {
		t.Errorf("%d in, %d out", in, out)
	}
}
