// Package metrics tells others about a run while it goes on: a Prometheus that
// asks, and by package otlp a collector that is told. Names, units and meanings are
// in docs/metrics.md; there is no label that could have many values.
package metrics

import (
	"net/http"
	"sync"

	"edgebench/analysis/rundir"
	"edgebench/target/exposition"
)

// A State is a run at the end of a second of it.
type State struct {
	Profile, Mode, Version string
	At, Duration           float64 // position in the schedule and its length, s
	Phase, Cycle           int     // index of the phase from 0, cycle from 1
	InFlight               int64

	Scheduled, Sent, OK, Errors, Dropped, Cold int64 // so far

	Sample rundir.MonitorRow // the last one

	// Distributions calls f with response times of ok and lags so far; nil before
	// there are some.
	Distributions func(f func(response, lag *rundir.Distribution))
}

// A Run answers scrapes. The zero value is a run that has not begun.
type Run struct {
	mu    sync.Mutex
	state State
	begun bool
}

// Set takes the state at the end of a second.
func (r *Run) Set(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.begun = s, true
}

// State is the last one that was set, false before there was one.
func (r *Run) State() (State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state, r.begun
}

// ServeHTTP answers GET /metrics.
func (r *Run) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	s, _ := r.State()
	w := new(exposition.Writer)
	w.Begin([]byte(req.Header.Get("Accept")))
	for _, m := range s.Metrics() {
		w.Family(m.Name, m.Help, m.Kind)
		if m.Histogram != nil {
			w.Histogram(m.Histogram, m.Labels...)
		} else {
			w.Value(m.Value, m.Labels...)
		}
	}
	out.Header().Set("Content-Type", w.Type())
	_, _ = out.Write(w.Bytes()) // who does not listen to the end has asked for it
}
