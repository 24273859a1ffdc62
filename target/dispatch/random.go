package dispatch

import "math/rand/v2"

var randomSpec = Spec{
	Name: "random", Help: "any worker, each as likely, by the seed's lot",
	build: func(seed uint64) Dispatch {
		return random{rand.New(rand.NewPCG(seed, 0x6469737061746368))} // "dispatch"
	},
}

// random has a stream of its own, so that nothing else that draws lots can shift it.
type random struct{ rng *rand.Rand }

func (r random) Pick(idle []Candidate) int { return r.rng.IntN(len(idle)) }
