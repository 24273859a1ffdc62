// Package doctor says what about this host spoils a measurement, before one is
// made: it judges facts that package monitor read, and what a run needs. It says
// what would have to be set otherwise, and changes nothing; package repair does. Each check is one entry of a registry, pure and small, so
// that a captured /proc tests it.
package doctor

import "edgebench/monitor"

// A Level is how much a finding matters.
type Level string

// Levels, in order.
const (
	OK   Level = "ok"
	Note Level = "note" // worth knowing when results are compared
	Warn Level = "warn" // distorts results
	Fail Level = "fail" // the run cannot do what it was asked for
)

// levels in order of weight.
var levels = []Level{OK, Note, Warn, Fail}

// Facts are what checks look at.
type Facts struct {
	Host monitor.Host
	Need Need
	Disk monitor.Null[int64] // bytes free where the run directory goes
	Busy []monitor.Busy      // processes that use CPU now, the busiest first; nil when nobody looked
}

// A Need is what a run will ask of the host. The zero value asks for nothing in
// particular.
type Need struct {
	Connections int     // open at once at the peak
	Asked       bool    // Connections stand in the profile; else they are an estimate
	Connects    float64 // new connections a second, where each has one request
	Bytes       int64   // of the run directory
	Bundled     bool    // the node runs on this host too
}

// A Check looks at one thing.
type Check struct {
	Name   string
	Why    string // what it does to a measurement
	look   func(*Facts) finding
	Repair []Setting // what the host is to be set to; none where it is not the doctor's to change
}

// A Setting is one value of a host, as package repair reads and writes it.
type Setting struct {
	Kind  Kind
	Name  string // file below / (a * stands for each of its kind), or unit
	Value string
}

// A Kind is how a setting is read and written.
type Kind string

// Kinds.
const (
	File    Kind = "file"     // a small file of the kernel's, which is there or not
	NewFile Kind = "new file" // a file that is made, and removed again
	Swap    Kind = "swap"     // every swap area: off
	Unit    Kind = "unit"     // of systemd: active, inactive, or masked until the next boot
)

// A finding is what a check came to. A fact that the host does not tell is ok:
// nothing is known against it.
type finding struct {
	level Level
	found string
	fix   string // what to do; empty where nothing can be done, or needs to be
}

// A Result is a check held against a host.
type Result struct {
	Name  string `json:"name"`
	Level Level  `json:"level"`
	Found string `json:"found"`
	Why   string `json:"why"`
	Fix   string `json:"fix,omitempty"`
}

// String is the result in one line, for a list of warnings.
func (r Result) String() string {
	text := r.Name + ": " + r.Found + ": " + r.Why
	if r.Fix != "" {
		text += " (" + r.Fix + ")"
	}
	return text
}

// Checks are all there are, in the order in which they are shown.
func Checks() []Check {
	var all []Check
	for _, group := range [][]Check{limits, processor, memory, system} {
		all = append(all, group...)
	}
	return all
}

// Examine holds every check against the facts.
func Examine(f *Facts) []Result {
	var out []Result
	for _, c := range Checks() {
		found := c.look(f)
		if found.level == OK {
			found.fix = ""
		}
		out = append(out, Result{Name: c.Name, Level: found.level, Found: found.found, Why: c.Why, Fix: found.fix})
	}
	return out
}

// AtLeast are the results of that level and above.
func AtLeast(results []Result, least Level) []Result {
	var out []Result
	for _, r := range results {
		if weight(r.Level) >= weight(least) {
			out = append(out, r)
		}
	}
	return out
}

// Worst is the heaviest level of results, OK of none.
func Worst(results []Result) Level {
	worst := OK
	for _, r := range results {
		if weight(r.Level) > weight(worst) {
			worst = r.Level
		}
	}
	return worst
}

// Compare orders levels by weight, the lighter first.
func Compare(a, b Level) int { return weight(a) - weight(b) }

func weight(l Level) int {
	for i, known := range levels {
		if l == known {
			return i
		}
	}
	return len(levels)
}

// unknown is the finding of a fact that is not there.
func unknown() finding { return finding{OK, "not told by this host", ""} }
