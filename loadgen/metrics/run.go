// Package metrics tells a Prometheus about a run while it goes on. Names, units
// and meanings are in docs/metrics.md; there is no label that could have many
// values.
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
}

// Set takes the state at the end of a second.
func (r *Run) Set(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
}

// ServeHTTP answers GET /metrics.
func (r *Run) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	s := r.state
	r.mu.Unlock()
	w := new(exposition.Writer)
	w.Begin([]byte(req.Header.Get("Accept")))
	s.counts(w)
	s.histograms(w)
	s.sampled(w)
	out.Header().Set("Content-Type", w.Type())
	_, _ = out.Write(w.Bytes()) // who does not listen to the end has asked for it
}

func (s *State) counts(w *exposition.Writer) {
	w.Family("loadgen_info", "What is played, always 1.", exposition.Gauge)
	w.Value(1, "version", s.Version, "profile", s.Profile, "mode", s.Mode)
	for _, m := range []struct {
		name, help string
		kind       exposition.Kind
		value      float64
	}{
		{"loadgen_schedule_position_seconds", "Position in the schedule.", exposition.Gauge, s.At},
		{"loadgen_schedule_length_seconds", "Length of the schedule.", exposition.Gauge, s.Duration},
		{"loadgen_phase_index", "Index of the phase, from 0.", exposition.Gauge, float64(s.Phase)},
		{"loadgen_cycle", "Cycle of the phase, from 1.", exposition.Gauge, float64(s.Cycle)},
		{"loadgen_requests_scheduled_total", "Planned instants that came.", exposition.Counter, float64(s.Scheduled)},
		{"loadgen_requests_sent_total", "Requests whose first byte was handed to the kernel.", exposition.Counter, float64(s.Sent)},
		{"loadgen_requests_dropped_total", "Requests that were scheduled and never sent.", exposition.Counter, float64(s.Dropped)},
		{"loadgen_requests_ok_total", "Requests answered as expected.", exposition.Counter, float64(s.OK)},
		{"loadgen_requests_errors_total", "Requests that failed.", exposition.Counter, float64(s.Errors)},
		{"loadgen_requests_cold_total", "Answers marked as cold starts by the target.", exposition.Counter, float64(s.Cold)},
		{"loadgen_requests_in_flight", "Requests sent and unanswered.", exposition.Gauge, float64(s.InFlight)},
	} {
		w.Family(m.name, m.help, m.kind)
		w.Value(m.value)
	}
}

// histograms of the whole run so far. Bars of the run's own histograms are at
// most 0.1 % wide; each counts at its middle.
func (s *State) histograms(w *exposition.Writer) {
	var response, lag exposition.Histogram
	if s.Distributions != nil {
		s.Distributions(func(r, l *rundir.Distribution) {
			fill(&response, r)
			fill(&lag, l)
		})
	}
	w.Family("loadgen_response_seconds", "Response time of ok answers, from the scheduled instant.", exposition.Buckets)
	w.Histogram(&response)
	w.Family("loadgen_lag_seconds", "Lag of the generator, of everything sent.", exposition.Buckets)
	w.Histogram(&lag)
}

func fill(h *exposition.Histogram, d *rundir.Distribution) {
	d.Bars(func(low, high int64, n uint64) {
		h.Add((float64(low)+float64(high))/2e9, n)
	})
	h.Sum = float64(d.Sum) / 1e9 // exact
}

// sampled are what the sampler saw of the bundled node and of this process.
func (s *State) sampled(w *exposition.Writer) {
	for _, m := range []struct {
		name, help string
		kind       exposition.Kind
		value      rundir.Number
	}{
		{"loadgen_node_pss_bytes", "Memory of the bundled node with its workers, shared pages counted once.", exposition.Gauge, s.Sample.PSSBytes},
		{"loadgen_node_rss_bytes", "The same, shared pages once a process.", exposition.Gauge, s.Sample.RSSBytes},
		{"loadgen_node_workers", "Worker processes of the bundled node.", exposition.Gauge, s.Sample.Workers},
		{"loadgen_node_cpu_seconds_total", "CPU time of the bundled node with its workers.", exposition.Counter, s.Sample.CPUSeconds},
		{"process_cpu_seconds_total", "CPU time of loadgen itself.", exposition.Counter, s.Sample.GeneratorCPUSeconds},
		{"process_resident_memory_bytes", "Memory of loadgen itself.", exposition.Gauge, s.Sample.GeneratorRSSBytes},
		{"process_open_fds", "Open files of loadgen itself.", exposition.Gauge, s.Sample.GeneratorOpenFiles},
	} {
		if m.value.Known {
			w.Family(m.name, m.help, m.kind)
			w.Value(m.value.Value)
		}
	}
}
