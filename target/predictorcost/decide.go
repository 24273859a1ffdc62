package predictorcost

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"edgebench/target/policy"
)

// A Decision is what one decision of a policy costs.
type Decision struct {
	Policy      string  `json:"policy"`
	Cost        string  `json:"cost"` // as the policy states it
	Decisions   int     `json:"decisions"`
	MeanNS      float64 `json:"mean_ns"` // median over batches: the clock is read once a batch
	P50NS       int64   `json:"p50_ns"`  // of single decisions, the reading of the clock included
	P99NS       int64   `json:"p99_ns"`
	Allocations float64 `json:"allocations"` // a decision
}

// Windows of a history: an hour of ticks.
const history = 1800

// decide measures one policy for about the given time: half of it in batches, half
// one by one. ARIMA fits in this process, so that a decision shows the whole cost.
func decide(ctx context.Context, spec policy.Spec, budget time.Duration) (Decision, error) {
	p, err := policy.New(spec.Name, nil, 0)
	if err != nil {
		return Decision{}, err
	}
	seen := observations(history, rand.New(rand.NewPCG(1, 0)))
	next := 0
	one := func() {
		p.Decide(seen[next])
		next = (next + 1) % len(seen)
	}
	for range 100 { // buffers grow to their size, and ARIMA has its windows
		one()
	}
	d := Decision{Policy: spec.Name, Cost: spec.Cost}
	begun := time.Now()
	one()
	batch := min(max(int(budget/20/max(time.Since(begun), 1)), 1), 100_000)
	var means []float64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for end := time.Now().Add(budget / 2); time.Now().Before(end) && ctx.Err() == nil; {
		begun := time.Now()
		for range batch {
			one()
		}
		means = append(means, float64(time.Since(begun).Nanoseconds())/float64(batch))
		d.Decisions += batch
	}
	runtime.ReadMemStats(&after)
	if len(means) == 0 {
		return d, ctx.Err()
	}
	d.MeanNS = median(means)
	// What the measuring itself allocates is a few slices, not one a decision.
	d.Allocations = math.Round(float64(after.Mallocs-before.Mallocs)/float64(d.Decisions)*100) / 100
	var single []int64
	for end := time.Now().Add(budget / 2); time.Now().Before(end) && len(single) < 100_000 && ctx.Err() == nil; {
		begun := time.Now()
		one()
		single = append(single, time.Since(begun).Nanoseconds())
	}
	slices.Sort(single)
	if n := len(single); n > 0 {
		d.P50NS, d.P99NS = single[n/2], single[min(n-1, n*99/100)]
	}
	return d, ctx.Err()
}

func median[T int64 | float64](v []T) T {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
