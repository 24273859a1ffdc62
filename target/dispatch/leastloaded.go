package dispatch

var leastLoadedSpec = Spec{
	Name: "least-loaded", Help: "the worker with the fewest requests in it (join the shortest queue); of several, the one that has served fewest",
	build: func([]float64, uint64) Dispatch { return leastLoaded{} },
}

// leastLoaded goes by the work done where the load is the same, as it is for
// workers that take one request at a time: all candidates are idle then. Of
// several with the same of both, the one longest without a request.
type leastLoaded struct{}

func (leastLoaded) Pick(free []Candidate) int {
	least := 0
	for i, c := range free {
		if l := free[least]; c.Load < l.Load || c.Load == l.Load && c.Served < l.Served {
			least = i
		}
	}
	return least
}
