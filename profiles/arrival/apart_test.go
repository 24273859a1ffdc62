package arrival

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"
)

// Twenty functions with H2 streams of their own (seed 7): each has its mean and C²,
// none begins with another, and the total differs from rate × T by what it may.
func TestTwentyFunctionsApart(t *testing.T) {
	t.Parallel()
	h2, err := NewH2(0.2, 2.125)
	if err != nil {
		t.Fatal(err)
	}
	var functions []Function
	for i := range 20 {
		functions = append(functions, Function{Name: fmt.Sprint("f", i), Share: 1})
	}
	const rate, length = 2000, 1000 * time.Second
	for _, law := range []Law{h2, Even{}} {
		s, err := mustSchedule(t, []Phase{{Length: length, Curve: Constant(rate)}}, law, 7).Apart(functions)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Digest(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(float64(d.Planned) - s.Expected())
		if off > 4*s.Deviation() || law == Law(h2) && off == 0 {
			t.Errorf("%v: %d arrivals, expected %v ± %v", law, d.Planned, s.Expected(), s.Deviation())
		}
		last, sum, squares, n := make([]time.Duration, 20), make([]float64, 20), make([]float64, 20), make([]float64, 20)
		first := map[time.Duration]bool{}
		st := s.Stream()
		for a, ok := st.Next(); ok; a, ok = st.Next() {
			f := a.Function
			if n[f] > 0 {
				x := (a.At - last[f]).Seconds() * rate / 20
				sum[f] += x
				squares[f] += x * x
			} else {
				first[a.At] = true
			}
			last[f] = a.At
			n[f]++
		}
		if len(first) != 20 {
			t.Errorf("%v: first arrivals only at %d instants", law, len(first))
		}
		for f := range functions {
			mean := sum[f] / (n[f] - 1)
			scv := squares[f]/(n[f]-1)/(mean*mean) - 1
			if math.Abs(mean-1) > 0.02 || math.Abs(scv-law.SCV()) > 0.05*law.SCV()+1e-6 {
				t.Errorf("%v, function %d: mean %v, C² %v", law, f, mean, scv)
			}
		}
	}
}
