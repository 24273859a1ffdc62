package qpn_test

import (
	"testing"

	"edgebench/analysis/qpn"
)

// The interval is honest: over 200 seeds a 95 % interval of R of M/M/5 at load
// 0.8 covers the exact value in 92 to 98 % of the cases (two standard errors of
// such a share), and misses are not all on one side.
func TestCoverage(t *testing.T) {
	t.Parallel()
	seeds, low, high := 200, 0.92, 0.98
	if testing.Short() {
		seeds, low, high = 20, 0.8, 1
	}
	covered, below, above, bias := 0, 0, 0, 0.0
	for seed := range seeds {
		points, err := qpn.Sweep(t.Context(), mm5(), []float64{12}, qpn.Options{Departures: 20_000, Seed: uint64(seed + 1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, want := points[0].Measures.R, points[0].Exact.R
		bias += (r.Mean/want - 1) / float64(seeds)
		switch {
		case r.Covers(want):
			covered++
		case r.Mean < want:
			below++
		default:
			above++
		}
	}
	share := float64(covered) / float64(seeds)
	t.Logf("covered %.1f %%, below %d, above %d, mean error %.3f %%", 100*share, below, above, 100*bias)
	if share < low || share > high {
		t.Errorf("covered %.1f %% of %d, want %.0f to %.0f %%", 100*share, seeds, 100*low, 100*high)
	}
}
