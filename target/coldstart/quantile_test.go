package coldstart

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The ranks are those of binomial tables.
func TestIntervalRanks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, value, low, high int // ranks, 0 for none
		p                   float64
	}{
		{n: 200, p: 0.5, value: 100, low: 86, high: 115},
		{n: 200, p: 0.99, value: 198, low: 195},
		{n: 400, p: 0.99, value: 396, low: 392, high: 400},
		{n: 6, p: 0.5, value: 3, low: 1, high: 6},
		{n: 5, p: 0.5, value: 3},
		{n: 1, p: 0.5, value: 1},
	} {
		ranks := make([]time.Duration, tt.n)
		for i := range ranks {
			ranks[i] = time.Duration(i + 1)
		}
		q := quantile(ranks, tt.p)
		rank := func(d *time.Duration) int {
			if d == nil {
				return 0
			}
			return int(*d)
		}
		if int(q.Value) != tt.value || rank(q.Low) != tt.low || rank(q.High) != tt.high {
			t.Errorf("n %d, p %g: rank %d [%d, %d], want %d [%d, %d]", tt.n, tt.p,
				q.Value, rank(q.Low), rank(q.High), tt.value, tt.low, tt.high)
		}
	}
}

// The interval holds the true quantile at least as often as it says.
func TestIntervalCovers(t *testing.T) {
	t.Parallel()
	const trials = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	truth := time.Duration(693_147) // the median of an exponential law of mean 1e6
	covered := 0
	for range trials {
		sample := make([]time.Duration, 40)
		for i := range sample {
			sample[i] = time.Duration(rng.ExpFloat64() * 1e6)
		}
		slices.Sort(sample)
		if q := quantile(sample, 0.5); *q.Low <= truth && truth <= *q.High {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.95 || share > 0.99 {
		t.Errorf("the interval covers the median in %g of the trials", share)
	}
}

func TestNoStarts(t *testing.T) {
	t.Parallel()
	if l := latencyOf(nil); l.N != 0 {
		t.Errorf("%+v", l)
	}
}
