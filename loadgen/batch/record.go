package batch

import (
	"reflect"
	"slices"
	"time"
)

// A State is how far a trial has come.
type State string

// States. A claimed trial whose lease ran out goes back to planned.
const (
	Planned State = "planned" // waits for a worker
	Claimed State = "claimed" // a worker runs it
	Done    State = "done"    // its result is an object of the store, or committed
	Failed  State = "failed"  // every attempt failed
)

// A Record is what the ledger knows of a trial. Its revision in the ledger is
// the fencing token: whoever writes must name the one it read.
type Record struct {
	State   State  `json:"state"`
	Attempt int    `json:"attempt"` // the last one begun, from 1; 0 before the first
	Worker  string `json:"worker"`  // of the last attempt
	// Instance tells one life of the worker from another, which may have its name.
	Instance string `json:"instance,omitempty"`
	Faults   int    `json:"faults"` // attempts that failed by themselves; a lost worker is none
	Beat     int64  `json:"beat"`   // heartbeats of the attempt

	Object  string   `json:"object,omitempty"` // of Done: id/aN
	SHA256  string   `json:"sha256,omitempty"` // of the object, hex
	Verdict string   `json:"verdict,omitempty"`
	Errors  []string `json:"errors,omitempty"` // of attempts that failed, one line each
}

// A Timing is that of leases. A worker that was not heard of for a lease has lost
// its trial; several beats fit into one, so that a lost one does no harm.
type Timing struct {
	Lease time.Duration `json:"lease_ns"` // > Beat
	Beat  time.Duration `json:"beat_ns"`  // > 0
}

// DefaultTiming is for networks and nights; the zero value of a Timing means it.
var DefaultTiming = Timing{Lease: 30 * time.Second, Beat: 5 * time.Second}

// maxAttempts bounds what a trial may cost, its faults and those of workers that
// were lost together.
const maxAttempts = 100

// same reports whether two records say the same.
func (r Record) same(s Record) bool {
	a, b := r.Errors, s.Errors
	r.Errors, s.Errors = nil, nil
	return reflect.DeepEqual(r, s) && slices.Equal(a, b)
}

// over reports whether there is nothing left to do for the trial.
func (s State) over() bool { return s == Done || s == Failed }
