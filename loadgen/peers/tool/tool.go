// Package tool knows the generators that are compared: where each comes from,
// how it is asked for a load, what it prints, and what its latency means. An
// adapter is one file and one line of the registry.
package tool

import (
	"slices"
	"time"
)

// A Load is what a generator is asked for.
type Load struct {
	URL         string
	Rate        int // requests/s; 0 for a closed loop
	Length      time.Duration
	Connections int
	Scratch     string   // folder for files of this run
	Settings    []string // profile keys, key=value: ours only
}

// An Invocation is how a load is asked for. Arguments come without the program.
type Invocation struct {
	Files map[string]string // written to the scratch folder before
	Args  []string
	Then  [][]string // further calls of the program, whose cost is not the generator's; their output follows
}

// Figures are what a generator says of its load. What it does not tell is nil.
type Figures struct {
	OK      uint64         `json:"ok"`
	Failed  uint64         `json:"failed"`
	Dropped uint64         `json:"dropped"` // told as not sent
	Elapsed time.Duration  `json:"elapsed_ns"`
	P50     *time.Duration `json:"p50_ns"`
	P90     *time.Duration `json:"p90_ns"`
	P99     *time.Duration `json:"p99_ns"`
	P999    *time.Duration `json:"p999_ns"`
}

// Achieved is the rate of good answers, in requests/s.
func (f Figures) Achieved() float64 {
	if f.Elapsed <= 0 {
		return 0
	}
	return float64(f.OK) / f.Elapsed.Seconds()
}

// Accounted is how many requests the generator tells the fate of.
func (f Figures) Accounted() uint64 { return f.OK + f.Failed + f.Dropped }

// Bounds of what counts as held, and as kept.
const (
	heldShare = 0.99
	heldP99   = 10 * time.Millisecond
	keptShare = 0.95
)

// Holds reports whether the load was carried: at least 0.99 of its rate in good
// answers, with a p99 of at most 10 ms.
func (f Figures) Holds(rate int) bool {
	return f.reaches(rate, heldShare) && f.P99 != nil && *f.P99 <= heldP99
}

// Keeps reports whether the rate was about reached, whatever the latency. The
// bound is wide: some count a slow start or a staggered end as time of theirs.
func (f Figures) Keeps(rate int) bool { return f.reaches(rate, keptShare) }

func (f Figures) reaches(rate int, share float64) bool {
	return f.Achieved() >= share*float64(rate) && float64(f.OK) >= share*float64(f.Accounted())
}

// A Tool is a generator to compare.
type Tool struct {
	Name    string
	Source  Source
	Closed  bool   // has no open loop: only its ceiling is of interest
	Variant bool   // ours, set up differently: takes part where the difference shows
	Guess   int    // requests/s where the search for its ceiling begins
	Latency string // what its latency is counted from, a footnote
	Paces   string // how it spreads requests, a footnote
	Expect  []int  // exit codes that come with figures
	Invoke  func(Load) Invocation
	Parse   func(stdout []byte) (Figures, error)
}

// Ours is the name of the one the others are set beside.
const Ours = "ours"

// All lists the generators in the order of the table.
func All() []Tool {
	return slices.Clone([]Tool{ours, oursSpin, fortio, bombardier, vegeta, k6, wrk})
}
