package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func targets(t *testing.T, name string, params map[string]float64, rates ...float64) []int {
	t.Helper()
	p, err := New(name, params, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, d := range windows(p, rates...) {
		all = append(all, d.Target)
	}
	return all
}

// Hand-made histories, T = 500 ms, windows of 2 s.
func TestTargetsByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		policy string
		params map[string]float64
		rates  []float64
		want   []int
	}{
		// a = 0.5·rate: ceil(15 + √15) = 19, which waits with probability 0.24 where Little + 1 = 16 has 0.73.
		{"root of the load", "sqrt-staffing", map[string]float64{"alpha": 1}, []float64{0, 2, 30, 200}, []int{1, 2, 19, 110}},
		{"two roots", "sqrt-staffing", map[string]float64{"alpha": 1, "beta": 2}, []float64{30}, []int{23}},
		// Season of 3: the first three windows are followed, then the largest of the next two of a season ago.
		{"a season ago", "seasonal-naive", map[string]float64{"season": 3}, []float64{2, 20, 4, 2, 20}, []int{2, 11, 11, 11, 3}},
		{"trend of a ramp", "holt-winters", map[string]float64{"alpha": 1, "beta": 1}, []float64{2, 4, 6, 8, 8}, []int{2, 4, 5, 6, 5}},
		{"no traffic below zero", "holt-winters", map[string]float64{"alpha": 1, "beta": 1}, []float64{30, 2, 0}, []int{16, 1, 1}},
		{"season learned", "holt-winters", map[string]float64{"alpha": 0.001, "beta": 0, "gamma": 1, "season": 2}, []float64{10, 20, 10, 20, 10}, []int{6, 7, 11, 6, 11}},
		// Steps of 4 after 6 s above 5/s a replica: 30/s on 1, on 5; at 9 replicas 3.3/s resolves it.
		{"steps and falls", "openfaas", nil, []float64{30, 30, 30, 30, 30, 30, 30}, []int{1, 1, 5, 5, 5, 9, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, targets(t, c.policy, c.params, c.rates...)); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
		})
	}
}
