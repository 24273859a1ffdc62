package dispatch

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// idleLists are lists of 1 to 40 candidates in order of idleness.
func idleLists() [][]Candidate {
	rng := rand.New(rand.NewPCG(3, 3))
	var lists [][]Candidate
	for n := 1; n <= 40; n++ {
		var list []Candidate
		var since time.Duration
		for range n {
			since += time.Duration(rng.Int64N(int64(time.Second)))
			list = append(list, Candidate{ID: rng.Uint64(), Since: since, Served: rng.IntN(100)})
		}
		lists = append(lists, list)
	}
	return lists
}

// TestConformance walks the registry: every rule picks inside the list, always
// the same for the same seed, and allocates nothing. Not parallel: it counts
// the allocations of the whole process.
func TestConformance(t *testing.T) {
	lists := idleLists()
	for _, spec := range Specs() {
		if spec.Help == "" || strings.Contains(spec.Help, "\n") {
			t.Errorf("%s: help %q is not one line", spec.Name, spec.Help)
		}
		a, err := New(spec.Name, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := New(spec.Name, 1)
		for _, list := range lists {
			i, j := a.Pick(list), b.Pick(list)
			if i < 0 || i >= len(list) || i != j {
				t.Errorf("%s: picks %d and %d of %d", spec.Name, i, j, len(list))
			}
		}
		if n := testing.AllocsPerRun(100, func() { a.Pick(lists[20]) }); n != 0 {
			t.Errorf("%s: %v allocations a pick", spec.Name, n)
		}
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	idle := []Candidate{{ID: 4, Since: 1}, {ID: 9, Since: 2}, {ID: 2, Since: 3}}
	for name, want := range map[string]uint64{"": 2, "lifo": 2, "fifo": 4} {
		d, err := New(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := idle[d.Pick(idle)].ID; got != want {
			t.Errorf("%q picks worker %d, want %d", name, got, want)
		}
	}
	if _, err := New("best", 0); err == nil || err.Error() != `dispatch "best": unknown (have lifo, fifo)` {
		t.Errorf("unknown name: %v", err)
	}
}
