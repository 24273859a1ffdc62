package arrival

import (
	"context"
	"testing"
	"time"
)

func TestUntilHoldsExactlyTheCount(t *testing.T) {
	t.Parallel()
	phases := []Phase{{Name: "first", Length: 10 * time.Second, Curve: Constant(3)}, {Name: "last", Length: time.Hour, Curve: Constant(10)}}
	for _, law := range []Law{Even{}, Poisson{}} {
		for seed := range uint64(20) {
			whole := mustSchedule(t, phases, law, seed)
			s, err := whole.Until(100)
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Digest(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if d.Counts[1] != 100 || s.ExpectedIn(1) != 100 {
				t.Errorf("%v: %d arrivals, expected %v", law, d.Counts[1], s.ExpectedIn(1))
			}
			all, more := arrivals(s), arrivals(whole)
			for i, a := range all {
				if a != more[i] {
					t.Fatalf("arrival %d moved from %+v to %+v", i, more[i], a)
				}
			}
			// It ends when the next would have come: for even at 10 s, as a length would say.
			if s.Duration() != more[len(all)].At || law == (Even{}) && s.Duration() != 20*time.Second {
				t.Errorf("%v: ends at %v, the next arrival is at %v", law, s.Duration(), more[len(all)].At)
			}
		}
	}
	if _, err := mustSchedule(t, phases[:1], Even{}, 1).Until(31); err == nil {
		t.Error("31 arrivals of 30 were accepted")
	}
	if s, err := mustSchedule(t, phases[:1], Even{}, 1).Until(30); err != nil || s.Duration() != 10*time.Second {
		t.Errorf("all 30 arrivals: %v", err)
	}
}
