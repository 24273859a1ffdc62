package coldstart

import (
	"errors"
	"fmt"
	"slices"

	"edgebench/target/worker"
)

// A Config is what to measure. Default has the values of its documentation.
type Config struct {
	Runtimes []string // names of worker.Names, each once; ratios are to the first; default fork, exec
	Starts   int      // of each runtime, 1 to 1,000,000; default 200
	Workers  int      // whose memory is measured, 0 for none, to 1,000; default 15
	Heap     int64    // bytes of touched heap a worker has; default 100,000,000
	Work     string   // what the requests ask for, one of worker.Works; default sleep
	Seed     uint64   // of the order in a round; default 1

	// Progress, if set, is called before each step.
	Progress func(what string, done, total int)
}

// Default measures the two runtimes that need nothing but this program.
func Default() Config {
	return Config{Runtimes: []string{"fork", "exec"}, Starts: 200, Workers: 15, Heap: 100_000_000, Work: worker.Sleep, Seed: 1}
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	if len(c.Runtimes) == 0 {
		faults = append(faults, errors.New("no runtime to measure"))
	}
	for i, name := range c.Runtimes {
		if slices.Contains(c.Runtimes[:i], name) {
			faults = append(faults, fmt.Errorf("runtime %s: named twice", name))
			continue
		}
		if err := worker.Check(name, worker.Options{Heap: c.Heap, Work: c.Work}); err != nil {
			faults = append(faults, err)
		}
	}
	if c.Starts < 1 || c.Starts > 1_000_000 {
		faults = append(faults, fmt.Errorf("n %d: outside 1 to 1,000,000", c.Starts))
	}
	if c.Workers < 0 || c.Workers > 1000 {
		faults = append(faults, fmt.Errorf("workers %d: outside 0 to 1,000", c.Workers))
	}
	return errors.Join(faults...)
}

func (c *Config) progress(what string, done, total int) {
	if c.Progress != nil {
		c.Progress(what, done, total)
	}
}
