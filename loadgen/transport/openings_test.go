package transport

import "testing"

func TestOpeningsAreBounded(t *testing.T) {
	t.Parallel()
	var o Openings
	taken := func(from, to int64) (n int) {
		for now := from; now < to; now += 10_000 {
			for o.Take(now) {
				n++
			}
		}
		return n
	}
	if n := taken(0, 1e9); n < openAtOnce+4990 || n > openAtOnce+5000 {
		t.Errorf("%d in the first second, want the burst and 5,000", n)
	}
	if n := taken(1e9, 2e9); n < 4990 || n > 5010 {
		t.Errorf("%d in the next second, want 5,000", n)
	}
	if n := taken(10e9, 10e9+10_000); n != openAtOnce {
		t.Errorf("%d at once after a rest, want %d", n, openAtOnce)
	}
	if now := int64(10e9 + 10_000); o.Next() <= now || o.Take(o.Next()-1) || !o.Take(o.Next()) {
		t.Error("Next is not the next")
	}
}
