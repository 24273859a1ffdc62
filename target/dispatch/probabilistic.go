package dispatch

import "math/rand/v2"

var probabilisticSpec = Spec{
	Name: "probabilistic", Help: "any worker by lot, weighted by its slot: probabilistic:3,2,1 (default weights 1, 0.96, 0.92, …)",
	Weighted: true,
	build: func(weights []float64, seed uint64) Dispatch {
		return probabilistic{weights, lots(seed)}
	},
}

// probabilistic shares requests out in proportion to fixed weights among the
// workers that admit one. Weights belong to slots, so that a worker that takes
// the place of another takes its weight. Slots beyond the list have its last.
type probabilistic struct {
	weights []float64 // nil for those of the study: 1 − 0.04·slot, at least 0.04
	rng     *rand.Rand
}

func (p probabilistic) weight(slot int) float64 {
	if p.weights == nil {
		return max(1-0.04*float64(slot), 0.04)
	}
	return p.weights[min(slot, len(p.weights)-1)]
}

func (p probabilistic) Pick(free []Candidate) int {
	total := 0.0
	for i := range free {
		total += p.weight(free[i].Slot)
	}
	lot := p.rng.Float64() * total
	for i := range free {
		if lot -= p.weight(free[i].Slot); lot < 0 {
			return i
		}
	}
	return len(free) - 1 // the sum's rounding
}
