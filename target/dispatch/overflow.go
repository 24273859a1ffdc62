package dispatch

var overflowSpec = Spec{
	Name: "overflow", Help: "the worker started first: those started later work only when all before them are busy",
	build: func(uint64) Dispatch { return overflow{} },
}

type overflow struct{}

func (overflow) Pick(idle []Candidate) int {
	first := 0
	for i, c := range idle {
		if c.ID < idle[first].ID {
			first = i
		}
	}
	return first
}
