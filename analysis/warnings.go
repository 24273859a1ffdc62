package analysis

import (
	"fmt"
	"time"

	"edgebench/analysis/cold"
	"edgebench/analysis/rundir"
)

// countWarnings are about numbers that are right and may mislead.
func countWarnings(m *rundir.Manifest, total *rundir.Tally) []string {
	var out []string
	if total.Scheduled == 0 {
		out = append(out, "no request was scheduled")
	}
	if total.Sent() > 0 && total.OK() == 0 {
		out = append(out, "not one request succeeded ("+mostOf(total.ErrorsByClass())+"): what was measured is how the target fails")
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

// mostOf names the most frequent class, "12000 http_4xx" for example.
func mostOf(counts map[string]uint64) string {
	best := ""
	for name, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && name < best {
			best = name
		}
	}
	if best == "" {
		return "no answer at all"
	}
	return fmt.Sprintf("%d %s", counts[best], best)
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
	better := "; the service times are one crowd, so no threshold separates"
	if split := cold.Find(barsOf(service)); split.ThresholdNS != nil {
		better = fmt.Sprintf("; %v would separate two crowds", rounded(time.Duration(*split.ThresholdNS)))
	}
	return []string{fmt.Sprintf("%sthe cold threshold %v lies inside a mode: %s of the service times are within %g %% of it, so the count by threshold hangs on its exact value%s",
		where, rounded(threshold), percent(*near), 100*modeWidth, better)}
}
