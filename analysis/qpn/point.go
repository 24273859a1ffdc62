package qpn

import (
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
	"edgebench/analysis/qpn/stats"
)

// Verdict says whether there is a steady state to speak of.
type Verdict string

// Verdicts.
const (
	Stable   Verdict = "stable"
	Critical Verdict = "critical" // arrivals equal capacity: means grow with the length of the run
	Unstable Verdict = "unstable" // arrivals exceed capacity: the queue grows for ever
	Growing  Verdict = "growing"  // capacity unknown or out of reach, and the runs came to no rest
)

// Steady reports whether means exist.
func (v Verdict) Steady() bool { return v == Stable }

// A Point is what is known of a model at one arrival rate.
type Point struct {
	Lambda   float64
	Verdict  Verdict
	Reason   string  // in words, for every verdict but stable
	Capacity float64 // +Inf: no limit, 0: unknown

	// Measures is nil without a steady state: a mean would depend on nothing but
	// the length of the run.
	Measures *Measures
	Exact    *exact.Result // nil where no formula is known
	Figures  []Figure      // what the study reports at this rate

	Replications int
	Departures   int    // of all runs
	Events       uint64 // of all runs
	WarmUp       int    // departures left out at the start of each run
	Trace        []net.TraceRow
	Places       []string // columns of Trace
	Queues       []bool   // of Places, those with servers
	Warnings     []string
}

// Measures are estimates with their intervals.
type Measures struct {
	X, R, N, Power stats.Interval
	P50, P90, P99  stats.Interval // of the response time; without a half width from one run
	Probes         []Named
	Places         []PlaceMeasures

	// Little is N/(X·R) − 1. All three are measured apart, so anything but the
	// edges of the run would be a fault of the simulator.
	Little float64
}

// Named is an estimate with a name.
type Named struct {
	Name string
	stats.Interval
}

// PlaceMeasures are estimates of one place.
type PlaceMeasures struct {
	Name       string
	Queue      bool           // has servers
	Population stats.Interval // tokens there
	Busy       stats.Interval // servers at work
	Throughput stats.Interval // tokens entered per second
	Lost       stats.Interval // tokens dropped per second
}
