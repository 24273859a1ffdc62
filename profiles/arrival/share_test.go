package arrival

import (
	"fmt"
	"testing"
	"time"
)

// The shares of a schedule are the schedule: every request in one of them, its
// counts by phase known without walking, whatever the law and however many.
func TestSharesMakeTheWhole(t *testing.T) {
	t.Parallel()
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	for name, law := range map[string]Law{"even": Even{}, "poisson": Poisson{}, "h2": h2} {
		s, err := NewSchedule([]Phase{
			{Name: "a", Length: time.Second, Curve: Constant(101)},
			{Name: "silence", Length: time.Second, Curve: Constant(0)},
			{Name: "b", Length: 2 * time.Second, Curve: Constant(37)},
		}, law, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{1, 2, 3, 5, 64} {
			t.Run(fmt.Sprintf("%s/%d", name, of), func(t *testing.T) { checkShares(t, s, of) })
		}
	}
}

func checkShares(t *testing.T, s *Schedule, of int) {
	digest, err := s.Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owners := make([]int, digest.Planned)
	for i := 1; i <= of; i++ {
		share := Share{i, of}
		counts := make([]uint64, len(digest.Counts))
		position := uint64(0)
		for stream := s.Stream(); ; {
			a, ok := stream.Next()
			if !ok {
				break
			}
			if !share.Has(a.Index) {
				continue
			}
			if a.Index%uint64(of) != uint64(i-1) || share.Position(a.Index) != position {
				t.Fatalf("share %v has request %d at position %d", share, a.Index, share.Position(a.Index))
			}
			position++
			owners[a.Index]++
			counts[a.Phase]++
		}
		end := uint64(0)
		for phase, n := range digest.Counts {
			if got := share.Before(end+n) - share.Before(end); got != counts[phase] {
				t.Errorf("share %v: %d requests of phase %d, the formula has %d", share, counts[phase], phase, got)
			}
			end += n
		}
	}
	for k, n := range owners {
		if n != 1 {
			t.Fatalf("request %d is in %d shares of %d", k, n, of)
		}
	}
}

func TestShareSplitsTotals(t *testing.T) {
	t.Parallel()
	for _, total := range []int{0, 1, 7, 100} {
		sum := 0
		for i := 1; i <= 3; i++ {
			sum += Share{i, 3}.Part(total)
		}
		if sum != total || (Share{}).Part(total) != total {
			t.Errorf("%d is split into %d, and %d whole", total, sum, Share{}.Part(total))
		}
	}
}

func TestParseShare(t *testing.T) {
	t.Parallel()
	if s, err := ParseShare("2/3"); err != nil || s != (Share{2, 3}) || s.String() != "2/3" {
		t.Errorf("%v, %v", s, err)
	}
	for _, text := range []string{"", "2", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2", "1/1001"} {
		if s, err := ParseShare(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}
