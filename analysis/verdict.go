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
func (s *Summary) judge(run *rundir.Run, total *rundir.Tally, seconds *seconds) {
	partial := partialReasons(run)
	invalid := append(s.invalidReasons(run.Manifest, total), partReasons(run.Manifest)...)
	if len(invalid) > 0 {
		if worst := seconds.worst(run.Manifest); worst != nil {
			invalid = append([]string{worst.String()}, invalid...)
		}
	}
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
func (s *Summary) invalidReasons(m *rundir.Manifest, total *rundir.Tally) []string {
	var reasons []string
	if why := s.Generator.throttled(); why != "" {
		reasons = append(reasons, "the generator was the limit: "+why)
	}
	var dropped uint64
	for _, d := range generatorDrops {
		dropped += total.Drops[d]
	}
	if part := share(dropped, total.Scheduled); part != nil && *part > maxDropShare {
		reasons = append(reasons, fmt.Sprintf("the generator was the limit: it dropped %s of what was scheduled, more than %g %%",
			percent(*part), 100*maxDropShare))
	}
	// Lag up to the quantum is what was asked for.
	bound := m.Quantum() + max(lateLag, time.Duration(lateShareOfP50*float64(total.Response.Quantile(0.5))))
	worst := m.Quantum() + maxLagP99
	lateShare := share(total.Lag.Above(int64(bound)), total.Lag.N)
	if lateShare == nil {
		return reasons
	}
	var lags []string
	if p99 := time.Duration(total.Lag.Quantile(0.99)); p99 > worst {
		lags = append(lags, fmt.Sprintf("lag p99 is %v, above %v", rounded(p99), worst))
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
