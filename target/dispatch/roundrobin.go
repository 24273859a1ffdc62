package dispatch

var roundRobinSpec = Spec{
	Name: "round-robin", Help: "the next worker in the order of their start, from the oldest again after the youngest",
	build: func([]float64, uint64) Dispatch { return &roundRobin{} },
}

// roundRobin goes by ids, which count the starts: workers come, go and are busy
// between two picks, so a place in the list would mean nothing.
type roundRobin struct{ last uint64 }

func (r *roundRobin) Pick(free []Candidate) int {
	next, first := -1, 0
	for i, c := range free {
		if c.ID < free[first].ID {
			first = i
		}
		if c.ID > r.last && (next < 0 || c.ID < free[next].ID) {
			next = i
		}
	}
	if next < 0 {
		next = first
	}
	r.last = free[next].ID
	return next
}
