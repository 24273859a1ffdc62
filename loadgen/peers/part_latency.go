package main

import (
	"context"
	"time"

	"edgebench/loadgen/peers/tool"
)

// latency asks for set rates, and what they cost: latency as each generator
// tells it, processor time, memory.
var latency = part{
	name:  "latency",
	nginx: true,
	cost: func(o options) time.Duration {
		open := time.Duration(len(openLoops(o.tools)))
		return (2*open + min(open, 2)) * (o.plan.latency + perRun)
	},
	play: func(ctx context.Context, b *bench) {
		for _, rate := range []int{slowRate, middleRate, fastRate} {
			for _, t := range openLoops(b.present()) {
				if rate == fastRate && !b.reaches(t, rate/2) {
					continue
				}
				r, err := b.generate(ctx, "latency", t, tool.Load{URL: b.nginx, Rate: rate, Length: b.plan.latency})
				b.note(ctx, r, err)
			}
		}
	},
}

// openLoops leaves out what has none.
func openLoops(tools []tool.Tool) []tool.Tool {
	var kept []tool.Tool
	for _, t := range tools {
		if !t.Closed {
			kept = append(kept, t)
		}
	}
	return kept
}

// reaches reports whether a rate is worth asking for: far above its ceiling a
// generator that starts a worker a request fills the memory. A variant holds
// the core anyhow. Without a search the guess stands in.
func (b *bench) reaches(t tool.Tool, rate int) bool {
	if found, ok := b.results.ceilingOf(t.Name); ok {
		return found >= float64(rate)
	}
	return t.Guess >= rate
}
