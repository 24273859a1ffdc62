package analysis

import (
	"math"

	"edgebench/analysis/rundir"
)

// A Distribution is a set of times in nanoseconds. Minimum, mean and maximum
// are exact; a quantile is at most 0.1 % above the exact one and never above
// the maximum. Every field but N is null for a set of nothing.
type Distribution struct {
	N      uint64 `json:"n"`
	MinNS  *int64 `json:"min_ns"`
	MeanNS *int64 `json:"mean_ns"`
	P50NS  *int64 `json:"p50_ns"`
	P90NS  *int64 `json:"p90_ns"`
	P95NS  *int64 `json:"p95_ns"`
	P99NS  *int64 `json:"p99_ns"`
	P999NS *int64 `json:"p999_ns"`
	MaxNS  *int64 `json:"max_ns"`
}

func distributionOf(d *rundir.Distribution) Distribution {
	if d.N == 0 {
		return Distribution{}
	}
	quantile := func(q float64) *int64 { return new(d.Quantile(q)) }
	return Distribution{
		N: d.N, MinNS: new(d.Min), MeanNS: new(int64(math.Round(d.Mean()))), MaxNS: new(d.Max),
		P50NS: quantile(0.5), P90NS: quantile(0.9), P95NS: quantile(0.95), P99NS: quantile(0.99), P999NS: quantile(0.999),
	}
}
