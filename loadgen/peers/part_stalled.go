package main

import (
	"context"
	"time"

	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
)

// stalled plays an even load against a server that stands still twice. What
// the latency must be then is known exactly.
var stalled = part{
	name: "stalled",
	once: true,
	cost: func(o options) time.Duration {
		return time.Duration(len(plain(o.tools))) * (o.plan.stalls.length + perRun)
	},
	play: func(ctx context.Context, b *bench) {
		s := b.plan.stalls
		for _, t := range plain(b.present()) {
			load := tool.Load{Rate: stallRate, Length: s.length}
			r, seen, err := b.observe(ctx, "stalled", t, load, witness.Plan{Stalls: s.begins(), Stall: s.stall})
			if err == nil {
				r.Values = map[string]float64{keyArrivals: float64(len(seen.UnixNS))}
			}
			b.note(ctx, r, err)
		}
	},
}

// plain are open loops without the variants, which differ in pace alone.
func plain(tools []tool.Tool) []tool.Tool {
	var kept []tool.Tool
	for _, t := range openLoops(tools) {
		if !t.Variant {
			kept = append(kept, t)
		}
	}
	return kept
}
