package engine

import (
	"math"

	"edgebench/profiles/arrival"
)

// shardRate is what one shard is trusted with, in requests/s: what one reached
// with the target on the same two processors, half of what it holds with a
// processor to itself.
const shardRate = 70_000

// shardsFor is how many shards a rate needs on so many processors. A shard that
// spins takes its processor whole, so one is left for everybody else.
func shardsFor(peak float64, processors int, p Precision) int {
	if p.Spin {
		processors--
	}
	return max(1, int(min(math.Ceil(peak/shardRate), float64(processors))))
}

// Peak is the highest planned rate of a schedule, in requests/s.
func Peak(phases []arrival.Phase) float64 {
	peak := 0.0
	for i := range phases {
		peak = max(peak, phases[i].Peak())
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
