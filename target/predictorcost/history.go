package predictorcost

import (
	"math"
	"math/rand/v2"
	"time"

	"edgebench/target/policy"
)

// tick is the study's.
const tick = 2 * time.Second

// rates is the study's workload seen through windows of a tick, one cycle of 84 s
// after another: 2/s, a ramp to 30/s, 5 s of that, 2/s again, silence. Counts are
// drawn, because an even series is all but singular to a fit.
func rates(n int, rng *rand.Rand) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = poisson(rng, burst(math.Mod(float64(i)*tick.Seconds(), 84))*tick.Seconds()) / tick.Seconds()
	}
	return all
}

// burst is the rate at a second of the cycle.
func burst(at float64) float64 {
	switch {
	case at < 35:
		return 2
	case at < 65:
		return 2 + 28*(at-35)/30
	case at < 70:
		return 30
	case at < 76:
		return 2
	}
	return 0
}

// poisson draws by the gaps of a process of rate 1: the means here are below 100.
func poisson(rng *rand.Rand, mean float64) float64 {
	n := 0.0
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		n++
	}
	return n
}

// observations is what a node with enough workers would have seen of it.
func observations(n int, rng *rand.Rand) []policy.Observation {
	all := make([]policy.Observation, n)
	for i, x := range rates(n, rng) {
		busy := int(x / 2)
		all[i] = policy.Observation{
			Now: time.Duration(i+1) * tick, Window: tick, Arrivals: int(x * tick.Seconds()),
			Busy: busy, Idle: 2, ServiceTime: 500 * time.Millisecond,
			Concurrency: x / 2, Utilization: float64(busy) / float64(busy+2),
		}
		if busy == 0 {
			all[i].Silence = tick
		} else if i > 0 && all[i-1].Silence > 0 {
			all[i].Idles = []time.Duration{8 * time.Second}
		}
	}
	return all
}
