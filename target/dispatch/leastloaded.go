package dispatch

var leastLoadedSpec = Spec{
	Name: "least-loaded", Help: "the worker that has served fewest requests, of several the one idle longest",
	build: func(uint64) Dispatch { return leastLoaded{} },
}

// leastLoaded goes by the work done: no idle worker has any to do.
type leastLoaded struct{}

func (leastLoaded) Pick(idle []Candidate) int {
	least := 0
	for i, c := range idle {
		if c.Served < idle[least].Served {
			least = i
		}
	}
	return least
}
