package dispatch

var overflowSpec = Spec{
	Name: "overflow", Help: "the worker started first: those started later work only when all before them are busy",
	build: func([]float64, uint64) Dispatch { return overflow{} },
}

type overflow struct{}

func (overflow) Pick(free []Candidate) int {
	first := 0
	for i, c := range free {
		if c.ID < free[first].ID {
			first = i
		}
	}
	return first
}
