// Package policy decides how many workers a node should have. A policy is a
// deterministic function of the observations it was given, in order: it reads
// no clock and starts no process, so the live node and the twin run the same
// code. Which worker takes a request is dispatch, decided elsewhere.
package policy

import "time"

// An Observation is what the node saw in the window that just ended.
type Observation struct {
	Now      time.Duration // end of the window, since the node started
	Window   time.Duration // measured length of the window, > 0: divide by this, never by the nominal tick
	Arrivals int           // requests that arrived in the window
	Backlog  int           // requests waiting for a worker now, in the node's queue or in a worker's
	Waited   int           // requests of the window that did not find an idle worker
	Busy     int           // workers with a request in them now
	Idle     int           // workers ready and free now
	Starting int           // workers being started now

	ServiceTime time.Duration // the node's estimate of T, over the number of requests a worker executes at once, ≥ 0
	Concurrency float64       // requests in the node, waiting and executing, averaged over the time of the window
	Utilization float64       // share of the ready workers' time in the window spent executing, 0 to 1

	// Emptiness: spells without a request in the node, each between two requests.
	Idles   []time.Duration // those that ended in the window, in order; the node's own, valid during the call
	Silence time.Duration   // how long the present one lasts, 0 for none and before the first request
}

// Workers is the number of workers that are or soon will be ready.
func (o Observation) Workers() int { return o.Busy + o.Idle + o.Starting }

// A Decision is a policy's answer to an observation.
type Decision struct {
	Target int // start workers until there are this many
	Floor  int // the scavenger keeps at least this many, however long idle

	IdleTimeout time.Duration // idleness after which a worker above Floor may be reaped; 0: the node's own

	// For the log: what the decision was made from.
	Rate     float64 // requests/s in the window
	Baseline float64 // smoothed rate, where the policy has one
	Sum      float64 // CUSUM statistic before a reset, where the policy has one
	Alarm    string  // name of the chart that fired, empty for none
}

// A Policy is asked once a tick. It is not safe for concurrent use.
type Policy interface {
	Decide(Observation) Decision
}

// Initial is implemented by policies that want workers before the first tick.
type Initial interface {
	Initial() Decision
}
