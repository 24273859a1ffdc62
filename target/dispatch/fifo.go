package dispatch

var fifoSpec = Spec{
	Name: "fifo", Help: "the worker least recently used: work is spread, no worker grows old idle",
	build: func([]float64, uint64) Dispatch { return fifo{} },
}

type fifo struct{}

func (fifo) Pick([]Candidate) int { return 0 }
