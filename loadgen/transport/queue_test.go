package transport

import "testing"

// Pushes and pops in a rhythm that wraps the ring and grows it while wrapped.
func TestQueueIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	var q Queue
	var in, out uint64
	for round := range 60 {
		for range round % 7 {
			q.Push(Ticket{Index: in})
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

// Connects are for those that wait longest; one that comes back keeps its place
// and the instant of its connect.
func TestQueueTellsForWhomConnectsBegan(t *testing.T) {
	t.Parallel()
	var q Queue
	for i := range 20 { // beyond the first ring
		q.Push(Ticket{Index: uint64(i)})
	}
	q.Begun(2, 100)
	q.Begun(3, 200)
	first := q.Pop()
	q.Return(first)
	q.Begun(4, 300)
	for i, want := range []int64{100, 100, 200, 300, NoConnect} {
		if w := q.Pop(); w.Ticket.Index != uint64(i) || w.Since != want {
			t.Errorf("place %d: ticket %d, since %d, want %d", i, w.Ticket.Index, w.Since, want)
		}
	}
}
