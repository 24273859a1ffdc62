package arrival

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFunctionsAreDrawnByShareAndMoveNoInstant(t *testing.T) {
	t.Parallel()
	phases := []Phase{{Length: 1000 * time.Second, Curve: Constant(200)}}
	plain := mustSchedule(t, phases, Poisson{}, 3)
	weights := []float64{5, 1, 0.001, 3, 1}
	var functions []Function
	sum := 0.0
	for _, w := range weights {
		functions = append(functions, Function{Share: w})
		sum += w
	}
	split, err := plain.Among(functions)
	if err != nil {
		t.Fatal(err)
	}
	d, err := split.Digest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range d.Calls {
		p := weights[i] / sum
		if sd := math.Sqrt(float64(d.Planned) * p * (1 - p)); math.Abs(float64(n)-float64(d.Planned)*p) > 4.5*sd {
			t.Errorf("function %d: %d calls of %d, share %v", i, n, d.Planned, p)
		}
	}
	a, b := arrivals(plain), arrivals(split)
	for i := range b {
		b[i].Function = 0
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error("the functions moved an instant")
	}
	if plain.Hash() == split.Hash() {
		t.Error("the hash does not cover the functions")
	}
	one, err := plain.Among(functions[:1])
	if err != nil {
		t.Fatal(err)
	}
	if one.Hash() != plain.Hash() {
		t.Error("one function changed the hash")
	}
}

func TestSharesAreChecked(t *testing.T) {
	t.Parallel()
	s := mustSchedule(t, burstyRamp(), Even{}, 1)
	for _, functions := range [][]Function{nil, {{Share: 0}}, {{Share: 1}, {Share: math.NaN()}}, {{Share: math.Inf(1)}}} {
		if _, err := s.Among(functions); err == nil {
			t.Errorf("%v was accepted", functions)
		}
	}
}
