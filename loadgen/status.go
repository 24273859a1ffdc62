package main

import (
	"fmt"
	"time"

	"edgebench/loadgen/experiment"
)

// statusLine is the progress of a run on one line (cycle and phase, time left,
// answers achieved of requests offered in the last second, quantiles so far, …),
// the most wanted first, because a narrow terminal cuts its end.
func statusLine(s experiment.Status) string {
	phase := ""
	if s.Phase != "" {
		phase = s.Phase
		if s.Cycles > 1 {
			phase = fmt.Sprintf("%d/%d %s", s.Cycle, s.Cycles, s.Phase)
		}
	}
	workers, memory, errors := "", "", ""
	if s.WorkersKnown {
		workers = fmt.Sprintf("workers %d", s.Workers)
	}
	if pss := s.Sampled.PSS; pss.Valid {
		memory = fmt.Sprintf("PSS %.0f MB", float64(pss.V)/1e6)
	}
	if n := s.Errors + s.Dropped; n > 0 {
		errors = fmt.Sprintf("errors %d dropped %d", s.Errors, s.Dropped)
	}
	return join(phase, clock(s.Left)+" left",
		fmt.Sprintf("%d of %d/s", s.Last.OK, s.Last.Scheduled), errors,
		fmt.Sprintf("p50 %s p99 %s", short(s.ResponseP50), short(s.ResponseP99)),
		fmt.Sprintf("cold %d", s.Cold), fmt.Sprintf("in flight %d", s.InFlight), workers, memory)
}

// short prints a latency with three digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "–"
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}
