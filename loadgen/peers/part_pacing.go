package main

import (
	"context"
	"fmt"
	"time"

	"edgebench/loadgen/peers/measure"
	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
)

// Keys of what a witness saw of a load.
const (
	keyGap50    = "gap_error_p50_ns"
	keyGap99    = "gap_error_p99_ns"
	keyGrid50   = "grid_error_p50_ns"
	keyGrid99   = "grid_error_p99_ns"
	keyArrivals = "arrivals"
	keyByKernel = "by_kernel"
)

// pacing asks a witness how evenly requests arrive.
var pacing = part{
	name: "pacing",
	cost: func(o options) time.Duration {
		return time.Duration(len(openLoops(o.tools))) * (o.plan.pacing + perRun)
	},
	play: func(ctx context.Context, b *bench) {
		for _, t := range openLoops(b.present()) {
			r, seen, err := b.observe(ctx, "pacing", t, tool.Load{Rate: slowRate, Length: b.plan.pacing}, witness.Plan{})
			if err == nil {
				r.Values, err = paceOf(seen, slowRate, b.plan.pacing-lead)
			}
			b.note(ctx, r, err)
		}
	},
}

// paceOf compares arrivals with an even rate.
func paceOf(seen witness.Arrivals, rate int, length time.Duration) (map[string]float64, error) {
	steady := measure.Steady(seen.UnixNS, length)
	if len(steady) < 2 {
		return nil, fmt.Errorf("the witness saw %d requests", len(steady))
	}
	gap := time.Second / time.Duration(rate)
	gaps, grid := measure.GapErrors(steady, gap), measure.GridErrors(steady, gap)
	return map[string]float64{
		keyGap50: float64(measure.Quantile(gaps, 0.5)), keyGap99: float64(measure.Quantile(gaps, 0.99)),
		keyGrid50: float64(measure.Quantile(grid, 0.5)), keyGrid99: float64(measure.Quantile(grid, 0.99)),
		keyArrivals: float64(len(steady)), keyByKernel: float64(seen.ByKernel),
	}, nil
}
