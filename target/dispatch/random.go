package dispatch

import "math/rand/v2"

var randomSpec = Spec{
	Name: "random", Help: "any worker, each as likely, by the seed's lot",
	build: func(_ []float64, seed uint64) Dispatch {
		return random{lots(seed)}
	},
}

// lots is a stream of its own, so that nothing else that draws lots can shift it.
func lots(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x6469737061746368)) // "dispatch"
}

type random struct{ rng *rand.Rand }

func (r random) Pick(free []Candidate) int { return r.rng.IntN(len(free)) }
