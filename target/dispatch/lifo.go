package dispatch

var lifoSpec = Spec{
	Name: "lifo", Help: "the worker that became idle last: work stays on few workers, the rest can be reaped",
	build: func([]float64, uint64) Dispatch { return lifo{} },
}

type lifo struct{}

func (lifo) Pick(free []Candidate) int { return len(free) - 1 }
