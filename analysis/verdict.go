package analysis

import (
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// generatorDrops are the reasons that say nothing about the target.
var generatorDrops = [...]rundir.DropReason{
	rundir.DropMaxInFlight, rundir.DropNoConnection, rundir.DropLate,
	rundir.DropFDExhausted, rundir.DropLocalPortExhausted,
}

// judge settles the verdict and lists every reason, not only the deciding one.
func (s *Summary) judge(run *rundir.Run, total *rundir.Tally) {
	partial := partialReasons(run)
	invalid := s.invalidReasons(total)
	var failed []string
	for _, t := range s.Thresholds {
		if !t.Met {
			failed = append(failed, "threshold failed: "+t.Expression+" (is "+t.Value+")")
		}
	}
	s.Reasons = append(append(append([]string{}, partial...), invalid...), failed...)
	switch {
	// First, because the user asked for it or knows of it; the rest still stands below.
	case len(partial) > 0:
		s.Verdict = Partial
	case len(invalid) > 0:
		s.Verdict = Invalid
	case len(failed) > 0:
		s.Verdict = ThresholdsFailed
	default:
		s.Verdict = Valid
	}
}

func partialReasons(run *rundir.Run) []string {
	var reasons []string
	if why := run.Manifest.Interruption; why != "" {
		reasons = append(reasons, "interrupted: "+why)
	}
	if why := run.Manifest.TargetLost; why != "" {
		reasons = append(reasons, "target lost: "+why)
	}
	if !run.Sealed {
		reasons = append(reasons, "the run directory was never sealed: its writer ended first")
	}
	return reasons
}

// invalidReasons says in which ways the generator, not the target, shaped the result.
func (s *Summary) invalidReasons(total *rundir.Tally) []string {
	var reasons []string
	var dropped uint64
	for _, d := range generatorDrops {
		dropped += total.Drops[d]
	}
	if part := share(dropped, total.Scheduled); part != nil && *part > maxDropShare {
		reasons = append(reasons, fmt.Sprintf("the generator was the limit: it dropped %s of what was scheduled, more than %g %%",
			percent(*part), 100*maxDropShare))
	}
	bound := max(lateLag, time.Duration(lateShareOfP50*float64(total.Response.Quantile(0.5))))
	lateShare := share(total.Lag.Above(int64(bound)), total.Lag.N)
	if lateShare == nil {
		return reasons
	}
	var lags []string
	if p99 := time.Duration(total.Lag.Quantile(0.99)); p99 > maxLagP99 {
		lags = append(lags, fmt.Sprintf("lag p99 is %v, above %v", rounded(p99), maxLagP99))
	}
	if *lateShare > maxLateShare {
		lags = append(lags, fmt.Sprintf("%s of the requests were sent more than %v late, above %g %%",
			percent(*lateShare), rounded(bound), 100*maxLateShare))
	}
	for _, lag := range lags {
		if total.Lag.N < minLags {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s, of only %d requests", lag, total.Lag.N))
			continue
		}
		reasons = append(reasons, "the generator was the limit: "+lag)
	}
	return reasons
}

// percent prints a share of 1 with two digits, 100 as 100.
func percent(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// rounded leaves three or four digits, as people read them.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(10 * time.Nanosecond)
}

// countWarnings are about numbers that are right and may mislead.
func countWarnings(m *rundir.Manifest, total *rundir.Tally) []string {
	var out []string
	if total.Scheduled == 0 {
		out = append(out, "no request was scheduled")
	}
	if total.Sent() > 0 && total.OK() == 0 {
		out = append(out, "not one request succeeded: what was measured is how the target fails")
	}
	if n := total.OpenAtEnd(); n > 0 {
		out = append(out, fmt.Sprintf("requests without an answer when the run ended, neither ok nor errors and in no latency: %d", n))
	}
	if n := total.Drops[rundir.DropLate] + total.Drops[rundir.DropMaxInFlight]; n > 0 {
		out = append(out, fmt.Sprintf("%d requests were dropped at the bound of requests in flight or as late: latencies of a target in trouble look better than they would have been", n))
	}
	if n := total.Lag.Clamped + total.Service.Clamped + total.Response.Clamped + total.Failed.Clamped; n > 0 {
		out = append(out, fmt.Sprintf("%d times were outside 0 to 1 h and count at the nearest end in quantiles", n))
	}
	if m.EventsLost > 0 {
		out = append(out, fmt.Sprintf("%d events left the node's ring before they were read", m.EventsLost))
	}
	return out
}

// modeWarnings say where the cold threshold cuts through a crowd of service
// times instead of a gap between two: once for the run, else once for each
// measured name.
func modeWarnings(m *rundir.Manifest, tallies []rundir.Tally) []string {
	threshold := time.Duration(m.ColdThresholdNS)
	if threshold <= 0 {
		return nil
	}
	names := measuredNames(m)
	if len(names) == 0 {
		g := gather(m, tallies, func(rundir.PhaseFact) bool { return true })
		return modeWarning("", threshold, &g.tally.Service)
	}
	var out []string
	for _, name := range names {
		g := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == name && p.Measure != "" })
		out = append(out, modeWarning("phase "+name+": ", threshold, &g.tally.Service)...)
	}
	return out
}

func modeWarning(where string, threshold time.Duration, service *rundir.Distribution) []string {
	low, high := float64(threshold)*(1-modeWidth), float64(threshold)*(1+modeWidth)
	near := share(service.Above(int64(low))-service.Above(int64(high)), service.N)
	if near == nil || *near <= maxModeShare {
		return nil
	}
	return []string{fmt.Sprintf("%sthe cold threshold %v lies inside a mode: %s of the service times are within %g %% of it, so the count by threshold hangs on its exact value",
		where, rounded(threshold), percent(*near), 100*modeWidth)}
}
