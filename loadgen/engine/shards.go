package engine

import (
	"math"
	"time"

	"edgebench/profiles/arrival"
)

// shardRate is what one shard is trusted with, in requests/s: half of the
// 140,000 it holds with a core to itself, so that lag stays small.
const shardRate = 70_000

// shardsFor is how many shards a rate needs on so many processors. A shard that
// spins takes its processor whole, so one is left for everybody else.
func shardsFor(peak float64, processors int, p Precision) int {
	if p.Spin {
		processors--
	}
	return max(1, int(min(math.Ceil(peak/shardRate), float64(processors))))
}

// rateSamples is how often a phase's rate is looked at for its peak.
const rateSamples = 64

// Peak is the highest planned rate of a schedule in requests/s: of each phase
// at both ends and at 63 instants between them, evenly spaced.
func Peak(phases []arrival.Phase) float64 {
	peak := 0.0
	for _, p := range phases {
		for i := range rateSamples + 1 {
			at := time.Duration(float64(p.Length) * float64(i) / rateSamples)
			peak = max(peak, p.Curve.Rate(min(at, p.Length)))
		}
	}
	return peak
}

// share is shard i's part of a total, the first ones taking what is left over.
func share(total, shards, i int) int {
	part := total / shards
	if i < total%shards {
		part++
	}
	return part
}
