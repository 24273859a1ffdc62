package dispatch

import (
	"math"
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
			list = append(list, Candidate{ID: rng.Uint64(), Slot: rng.IntN(60), Since: since, Served: rng.IntN(100), Load: rng.IntN(4)})
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
	idle := []Candidate{{ID: 4, Since: 1, Served: 5}, {ID: 9, Since: 2, Served: 1}, {ID: 6, Since: 3, Served: 1}, {ID: 2, Since: 4, Served: 3}}
	for name, want := range map[string]uint64{"": 2, "lifo": 2, "fifo": 4, "overflow": 2, "round-robin": 2, "least-loaded": 9} {
		d, err := New(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := idle[d.Pick(idle)].ID; got != want {
			t.Errorf("%q picks worker %d, want %d", name, got, want)
		}
	}
	if _, err := New("best", 0); err == nil || err.Error() != `dispatch "best": unknown (have lifo, fifo, overflow, round-robin, least-loaded, random, probabilistic)` {
		t.Errorf("unknown name: %v", err)
	}
}

// Workers come, go and are busy between two picks; the round goes on by id.
func TestRoundRobinGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	d, err := New("round-robin", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		idle []uint64
		want uint64
	}{
		{[]uint64{3, 1, 2}, 1}, {[]uint64{3, 1, 2}, 2}, {[]uint64{2, 3, 1}, 3}, {[]uint64{2, 3, 1}, 1},
		{[]uint64{3, 5, 4}, 3}, {[]uint64{9, 1, 5}, 5}, {[]uint64{1, 2}, 1}, {[]uint64{1}, 1},
	} {
		var idle []Candidate
		for _, id := range step.idle {
			idle = append(idle, Candidate{ID: id})
		}
		if got := idle[d.Pick(idle)].ID; got != step.want {
			t.Errorf("pick %d of %v: %d, want %d", i, step.idle, got, step.want)
		}
	}
}

// With several requests a worker, the load counts before the work done.
func TestLeastLoadedJoinsTheShortestQueue(t *testing.T) {
	t.Parallel()
	d, err := New("least-loaded", 0)
	if err != nil {
		t.Fatal(err)
	}
	free := []Candidate{{ID: 1, Load: 2}, {ID: 2, Load: 1, Served: 9}, {ID: 3, Load: 1, Served: 8}, {ID: 4, Load: 3}}
	if got := free[d.Pick(free)].ID; got != 3 {
		t.Errorf("picks worker %d, want 3", got)
	}
}

// Slots 0, 1 and 5 have weights 3, 1 and, beyond the list, 1 again.
func TestProbabilisticSharesByWeight(t *testing.T) {
	t.Parallel()
	d, err := New("probabilistic:3,1", 7)
	if err != nil {
		t.Fatal(err)
	}
	free := []Candidate{{Slot: 5}, {Slot: 0}, {Slot: 1}}
	const n = 80_000
	var picks [3]int
	for range n {
		picks[d.Pick(free)]++
	}
	for i, share := range []float64{0.2, 0.6, 0.2} {
		want, deviation := share*n, math.Sqrt(n*share*(1-share))
		if got := float64(picks[i]); math.Abs(got-want) > 5*deviation {
			t.Errorf("slot %d picked %.0f times, want %.0f ± %.0f", free[i].Slot, got, want, 5*deviation)
		}
	}
}

func TestWeightsAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"lifo:1":            `dispatch "lifo:1": lifo takes no weights`,
		"probabilistic:":    `weight "": want a positive number`,
		"probabilistic:1,0": `weight "0": want a positive number`,
		"probabilistic:NaN": `weight "NaN": want a positive number`,
	} {
		if _, err := New(text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Each of 8 workers is picked a share of 1/8; the bound is five standard deviations.
func TestRandomIsUniform(t *testing.T) {
	t.Parallel()
	d, err := New("random", 7)
	if err != nil {
		t.Fatal(err)
	}
	idle := make([]Candidate, 8)
	const n = 80_000
	var picks [8]int
	for range n {
		picks[d.Pick(idle)]++
	}
	for i, got := range picks {
		if got < n/8-468 || got > n/8+468 { // sqrt(n · 1/8 · 7/8) = 93.5
			t.Errorf("worker %d picked %d times of %d", i, got, n)
		}
	}
}
