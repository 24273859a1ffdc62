package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// A simReport sums trials up.
type simReport struct {
	Producer string       `json:"producer"`
	Profile  string       `json:"profile"`
	Policy   string       `json:"policy"`
	Trials   int          `json:"trials"`
	Out      string       `json:"out"`
	Metrics  []metricStat `json:"metrics"`
}

type metricStat struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	analysis.Trials
}

func (results simResults) report(p *profiles.Profile, out string) *simReport {
	r := &simReport{Producer: rundir.ProducerTwin, Profile: p.Name, Policy: p.Target.Bundled.Policy.Name, Trials: len(results), Out: filepath.Clean(out)}
	add := func(name, unit string, of func(*analysis.Summary) (float64, bool)) {
		var values []float64
		for _, s := range results {
			if v, ok := of(s); ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			r.Metrics = append(r.Metrics, metricStat{name, unit, analysis.OverTrials(values)})
		}
	}
	for i := range results[0].Measured {
		name := results[0].Measured[i].Name
		add(name+" cold", "requests", func(s *analysis.Summary) (float64, bool) { return number(s.Measured[i].All.Cold.Truth) })
		add(name+" above threshold", "requests", func(s *analysis.Summary) (float64, bool) {
			return number(s.Measured[i].All.Cold.ByThreshold)
		})
	}
	add("cold", "requests", func(s *analysis.Summary) (float64, bool) { return number(s.Cold.Truth) })
	add("errors", "requests", func(s *analysis.Summary) (float64, bool) { return float64(s.Counts.Errors), true })
	milliseconds := func(ns *int64) (float64, bool) {
		v, ok := number(ns)
		return v / 1e6, ok
	}
	add("response mean", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.MeanNS) })
	add("response p50", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.P50NS) })
	add("response p99", "ms", func(s *analysis.Summary) (float64, bool) { return milliseconds(s.Response.P99NS) })
	add("workers mean", "", func(s *analysis.Summary) (float64, bool) { return number(s.Resources.WorkersMean) })
	add("workers max", "", func(s *analysis.Summary) (float64, bool) { return number(s.Resources.WorkersMax) })
	return r
}

// metric is the one of that name, zero where the trials have none.
func (r *simReport) metric(name string) metricStat {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m
		}
	}
	return metricStat{}
}

// mean with so many decimals; a metric that no trial has is no 0.
func (m metricStat) mean(decimals int) string {
	if m.N == 0 {
		return "–"
	}
	return strconv.FormatFloat(m.Mean, 'f', decimals, 64)
}

// interval is the mean and, of several trials, its 95 % interval.
func (m metricStat) interval() string {
	if m.Low95 == nil {
		return m.mean(1)
	}
	return fmt.Sprintf("%.1f (%.1f–%.1f)", m.Mean, *m.Low95, *m.High95)
}

func number[T int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}

func (r *simReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s   policy %s   %d simulated trials (the trial is the unit)\n\n", r.Profile, r.Policy, r.Trials)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "metric\tunit\tmean\t95 % interval\tmedian\tmin\tmax\t")
	for _, m := range r.Metrics {
		interval := "–"
		if m.Low95 != nil {
			interval = fmt.Sprintf("%.1f to %.1f", *m.Low95, *m.High95)
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\t%.1f\t%.1f\t%.1f\t\n", m.Name, m.Unit, m.Mean, interval, m.Median, m.Min, m.Max)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nrun directories below %s\n", r.Out)
	return err
}
