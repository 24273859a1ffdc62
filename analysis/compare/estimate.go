package compare

import (
	"math/rand/v2"

	"edgebench/analysis"
	"edgebench/analysis/stats"
)

// An Estimate is one metric over the trials of one group.
type Estimate struct {
	analysis.Trials
	Bootstrap *stats.Interval `json:"bootstrap"` // BCa, of the mean; null below 4 trials
	Values    []float64       `json:"values"`    // one a trial, in the order they started
}

// Interval of the mean by Student's t, nil below two trials.
func (e *Estimate) Interval() *stats.Interval {
	if e == nil || e.Low95 == nil {
		return nil
	}
	return &stats.Interval{Low: *e.Low95, High: *e.High95, Level: level}
}

// estimate is nil when no trial measured the metric.
func estimate(values []float64) *Estimate {
	if len(values) == 0 {
		return nil
	}
	e := &Estimate{Trials: analysis.OverTrials(values), Values: values}
	// A stream of its own a call, so that one metric's interval does not hang on
	// which others were asked for.
	if i, ok := stats.Bootstrap(values, level, rand.New(rand.NewPCG(1, 1))); ok {
		e.Bootstrap = &i
	}
	return e
}
