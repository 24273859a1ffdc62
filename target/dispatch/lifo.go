package dispatch

var lifoSpec = Spec{
	Name: "lifo", Help: "the worker that became idle last: work stays on few workers, the rest can be reaped",
	build: func(uint64) Dispatch { return lifo{} },
}

type lifo struct{}

func (lifo) Pick(idle []Candidate) int { return len(idle) - 1 }
