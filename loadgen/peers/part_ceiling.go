package main

import (
	"context"
	"fmt"
	"time"

	"edgebench/loadgen/peers/measure"
	"edgebench/loadgen/peers/tool"
)

// ceiling finds the highest rate each generator holds: 0.99 of it in good
// answers with a p99 of at most 10 ms, as the generator itself counts both.
var ceiling = part{
	name:  "ceiling",
	nginx: true,
	cost: func(o options) time.Duration {
		steps := time.Duration(0)
		for _, t := range o.tools {
			switch {
			case t.Closed:
				steps++
			case !t.Variant:
				steps += 4 // about: the first search takes more, those after it begin where it ended
			}
		}
		return steps * (o.plan.step + perRun)
	},
	play: func(ctx context.Context, b *bench) {
		for _, t := range b.present() {
			switch {
			case t.Closed:
				r, err := b.generate(ctx, "ceiling", t, tool.Load{URL: b.nginx, Length: b.plan.step})
				if err == nil {
					r.Values = map[string]float64{keyCeiling: r.Figures.Achieved()}
				}
				b.note(ctx, r, err)
			case !t.Variant:
				b.climb(ctx, t)
			}
		}
	},
}

// keyCeiling is the rate held in a Record's values, keyOpen says that it may
// be higher.
const (
	keyCeiling = "ceiling_rps"
	keyOpen    = "ceiling_open"
)

// climb records the ceiling of one tool.
func (b *bench) climb(ctx context.Context, t tool.Tool) {
	start := float64(t.Guess)
	if found, ok := b.results.ceilingOf(t.Name); ok {
		start = found
	}
	top := Record{Part: "ceiling", Tool: t.Name}
	best, err := measure.Search(measure.Rungs(), start, b.plan.tries, func(rate int) (bool, float64, error) {
		r, err := b.generate(ctx, "ceiling", t, tool.Load{URL: b.nginx, Rate: rate, Length: b.plan.step})
		if err != nil {
			return false, 0, err
		}
		held := r.Figures.Holds(rate)
		fmt.Fprintf(b.progress, "  %s at %d/s: %.0f/s, p99 %v, held %v\n", t.Name, rate, r.Figures.Achieved(), r.Figures.P99, held)
		if held { // a later one that holds is a higher one
			top.Args, top.Figures, top.CPU, top.PeakBytes = r.Args, r.Figures, r.CPU, r.PeakBytes
		}
		return held, r.Figures.Achieved(), nil
	})
	top.Values = map[string]float64{keyCeiling: float64(best.Rate)}
	if best.Open {
		top.Values[keyOpen] = 1
	}
	b.note(ctx, top, err)
}

// ceilingOf is the median ceiling found so far.
func (r *results) ceilingOf(toolName string) (float64, bool) {
	return medianOf(r.of("ceiling", toolName, 0), value(keyCeiling))
}

// value picks one of a record's values.
func value(key string) func(Record) (float64, bool) {
	return func(r Record) (float64, bool) {
		v, ok := r.Values[key]
		return v, ok
	}
}
