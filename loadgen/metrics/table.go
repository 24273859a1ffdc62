package metrics

import (
	"edgebench/analysis/rundir"
	"edgebench/target/exposition"
)

// A Metric is one of a run's at the end of a second.
type Metric struct {
	Name, Help string
	Unit       string // by the Unified Code for Units of Measure; empty for a plain number
	Kind       exposition.Kind
	Value      float64
	Histogram  *exposition.Histogram // in place of Value, of kind exposition.Buckets
	Labels     []string              // names and values in turn
}

// Metrics are all that the state tells, whoever it is told to; what is not known
// is left out.
func (s *State) Metrics() []Metric {
	all := []Metric{
		{
			Name: "loadgen_info", Help: "What is played, always 1.", Kind: exposition.Gauge, Value: 1,
			Labels: []string{"version", s.Version, "profile", s.Profile, "mode", s.Mode},
		},
		gauge("loadgen_schedule_position_seconds", "s", s.At, "Position in the schedule."),
		gauge("loadgen_schedule_length_seconds", "s", s.Duration, "Length of the schedule."),
		gauge("loadgen_phase_index", "", float64(s.Phase), "Index of the phase, from 0."),
		gauge("loadgen_cycle", "", float64(s.Cycle), "Cycle of the phase, from 1."),
		requests("scheduled", s.Scheduled, "Planned instants that came."),
		requests("sent", s.Sent, "Requests whose first byte was handed to the kernel."),
		requests("dropped", s.Dropped, "Requests that were scheduled and never sent."),
		requests("ok", s.OK, "Requests answered as expected."),
		requests("errors", s.Errors, "Requests that failed."),
		requests("cold", s.Cold, "Answers marked as cold starts by the target."),
		gauge("loadgen_requests_in_flight", "{request}", float64(s.InFlight), "Requests sent and unanswered."),
	}
	return s.sampled(s.histograms(all))
}

func gauge(name, unit string, v float64, help string) Metric {
	return Metric{Name: name, Help: help, Unit: unit, Kind: exposition.Gauge, Value: v}
}

func requests(what string, n int64, help string) Metric {
	return Metric{Name: "loadgen_requests_" + what + "_total", Help: help, Unit: "{request}", Kind: exposition.Counter, Value: float64(n)}
}

// histograms of the whole run so far. Bars of the run's own histograms are at
// most 0.1 % wide; each counts at its middle.
func (s *State) histograms(all []Metric) []Metric {
	var response, lag exposition.Histogram
	if s.Distributions != nil {
		s.Distributions(func(r, l *rundir.Distribution) {
			fill(&response, r)
			fill(&lag, l)
		})
	}
	return append(all,
		durations("loadgen_response_seconds", &response, "Response time of ok answers, from the scheduled instant."),
		durations("loadgen_lag_seconds", &lag, "Lag of the generator, of everything sent."))
}

func durations(name string, h *exposition.Histogram, help string) Metric {
	return Metric{Name: name, Help: help, Unit: "s", Kind: exposition.Buckets, Histogram: h}
}

func fill(h *exposition.Histogram, d *rundir.Distribution) {
	d.Bars(func(low, high int64, n uint64) {
		h.Add((float64(low)+float64(high))/2e9, n)
	})
	h.Sum = float64(d.Sum) / 1e9 // exact
}

// sampled are what the sampler saw of the bundled node and of this process.
func (s *State) sampled(all []Metric) []Metric {
	for _, m := range []struct {
		name, unit, help string
		kind             exposition.Kind
		value            rundir.Number
	}{
		{"loadgen_node_pss_bytes", "By", "Memory of the bundled node with its workers, shared pages counted once.", exposition.Gauge, s.Sample.PSSBytes},
		{"loadgen_node_rss_bytes", "By", "The same, shared pages once a process.", exposition.Gauge, s.Sample.RSSBytes},
		{"loadgen_node_workers", "{process}", "Worker processes of the bundled node.", exposition.Gauge, s.Sample.Workers},
		{"loadgen_node_cpu_seconds_total", "s", "CPU time of the bundled node with its workers.", exposition.Counter, s.Sample.CPUSeconds},
		{"process_cpu_seconds_total", "s", "CPU time of loadgen itself.", exposition.Counter, s.Sample.GeneratorCPUSeconds},
		{"process_resident_memory_bytes", "By", "Memory of loadgen itself.", exposition.Gauge, s.Sample.GeneratorRSSBytes},
		{"process_open_fds", "{file}", "Open files of loadgen itself.", exposition.Gauge, s.Sample.GeneratorOpenFiles},
	} {
		if m.value.Known {
			all = append(all, Metric{Name: m.name, Help: m.help, Unit: m.unit, Kind: m.kind, Value: m.value.Value})
		}
	}
	return all
}
