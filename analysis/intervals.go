package analysis

import (
	"fmt"

	"edgebench/analysis/rundir"
	"edgebench/analysis/stats"
)

// quantileLevel is the confidence of a QuantileInterval.
const quantileLevel = 0.95

// A QuantileInterval bounds a quantile of one run by order statistics, as if
// its requests were independent. They share queues, so the interval is a lower
// bound of the doubt; what differs between trials is larger (loadgen compare).
type QuantileInterval struct {
	Phase    string  `json:"phase"` // all cycles of it; empty for the run
	Of       string  `json:"of"`    // service | response
	Quantile float64 `json:"quantile"`
	ValueNS  int64   `json:"value_ns"`
	LowNS    *int64  `json:"low_ns"`  // null when refused
	HighNS   *int64  `json:"high_ns"` // null when refused
	Level    float64 `json:"level"`
	Refused  string  `json:"refused,omitempty"` // why there are no bounds
}

// quantileIntervals are those of the run and of each measured phase: a bounded
// number, whatever the number of phases.
func quantileIntervals(m *rundir.Manifest, tallies []rundir.Tally, total *rundir.Tally) []QuantileInterval {
	out := intervalsOf("", total)
	for _, name := range measuredNames(m) {
		g := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == name && p.Measure != "" })
		out = append(out, intervalsOf(name, &g.tally)...)
	}
	return out
}

func intervalsOf(phase string, t *rundir.Tally) []QuantileInterval {
	out := []QuantileInterval{}
	for _, d := range []struct {
		of     string
		values *rundir.Distribution
	}{{"service", &t.Service}, {"response", &t.Response}} {
		if d.values.N == 0 {
			continue
		}
		for _, q := range []float64{0.5, 0.95, 0.99} {
			out = append(out, intervalOf(phase, d.of, d.values, q))
		}
	}
	return out
}

func intervalOf(phase, of string, d *rundir.Distribution, q float64) QuantileInterval {
	i := QuantileInterval{Phase: phase, Of: of, Quantile: q, ValueNS: d.Quantile(q), Level: quantileLevel}
	low, high, ok := stats.QuantileRanks(int(d.N), q, quantileLevel)
	if !ok {
		i.Refused = fmt.Sprintf("%d requests; a bound at %g %% needs %d", d.N, 100*quantileLevel, stats.MinSamples(max(q, 1-q), quantileLevel))
		return i
	}
	i.LowNS, i.HighNS = new(d.Quantile(float64(low)/float64(d.N))), new(d.Quantile(float64(high)/float64(d.N)))
	return i
}
