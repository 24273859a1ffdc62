package compare

import (
	"errors"
	"fmt"
	"slices"

	"edgebench/profiles"
)

// A Unit says how a metric is printed.
type Unit string

// Units; shares are 0..1.
const (
	Nanoseconds Unit = "ns"
	Bytes       Unit = "bytes"
	ByteSeconds Unit = "byte_seconds"
	Seconds     Unit = "seconds"
	Share       Unit = "share"
	Number      Unit = ""
)

// A Metric is one number of a trial; less is better in all that are here. Null
// where the trial did not measure it.
type Metric struct {
	Name string `json:"name"`
	Unit Unit   `json:"unit"`
	Help string `json:"-"`

	value   func(*Trial) *float64
	usual   bool // compared when no metric is named
	cost    bool // an axis of cost
	quality bool // an axis of quality
}

// Metrics are all there are, in the order they are printed.
func Metrics() []Metric {
	ns := func(of func(*Trial) *int64) func(*Trial) *float64 {
		return func(t *Trial) *float64 { return float(of(t)) }
	}
	return []Metric{
		{"cold", Share, "answers that met a cold start, by the node's mark, of ok",
			func(t *Trial) *float64 { return part(t.Account.Cold.Truth, t.Account.Counts.OK) }, true, false, true},
		{"cold_threshold", Share, "answers above the profile's cold threshold, of ok",
			func(t *Trial) *float64 { return part(t.Account.Cold.ByThreshold, t.Account.Counts.OK) }, true, false, true},
		{"errors", Share, "errors and dropped, of scheduled",
			func(t *Trial) *float64 {
				return part(new(t.Account.Counts.Errors+t.Account.Counts.Dropped), t.Account.Counts.Scheduled)
			}, true, false, true},
		{"p50", Nanoseconds, "median response time", ns(func(t *Trial) *int64 { return t.Account.Response.P50NS }), true, false, true},
		{"p95", Nanoseconds, "response time, 95th percentile", ns(func(t *Trial) *int64 { return t.Account.Response.P95NS }), true, false, true},
		{"p99", Nanoseconds, "response time, 99th percentile", ns(func(t *Trial) *int64 { return t.Account.Response.P99NS }), true, false, true},
		{"max", Nanoseconds, "largest response time", ns(func(t *Trial) *int64 { return t.Account.Response.MaxNS }), true, false, true},
		{"mean", Nanoseconds, "mean response time", ns(func(t *Trial) *int64 { return t.Account.Response.MeanNS }), false, false, true},
		{"service_p99", Nanoseconds, "service time, 99th percentile", ns(func(t *Trial) *int64 { return t.Account.Service.P99NS }), true, false, true},
		{"lag_p99", Nanoseconds, "lag of the generator, 99th percentile", ns(func(t *Trial) *int64 { return t.Account.Lag.P99NS }), true, false, false},
		{"pss_mean", Bytes, "mean PSS of node and workers, whole run", ns(func(t *Trial) *int64 { return t.Summary.Resources.PSSMeanBytes }), true, true, false},
		{"pss_max", Bytes, "largest PSS, whole run", ns(func(t *Trial) *int64 { return t.Summary.Resources.PSSMaxBytes }), true, false, false},
		{"pss_byte_seconds", ByteSeconds, "PSS summed over time, whole run",
			func(t *Trial) *float64 { return t.Summary.Resources.PSSByteSeconds }, true, true, false},
		{"rss_mean", Bytes, "mean RSS: counts a shared page once a process", ns(func(t *Trial) *int64 { return t.Summary.Resources.RSSMeanBytes }), false, false, false},
		{"cpu_seconds", Seconds, "CPU time of node and workers, whole run",
			func(t *Trial) *float64 { return t.Summary.Resources.CPUSeconds }, true, true, false},
		{"workers_mean", Number, "mean number of workers, whole run",
			func(t *Trial) *float64 { return t.Summary.Resources.WorkersMean }, true, false, false},
		{"worker_seconds", Seconds, "worker processes summed over time, whole run", workerSeconds, false, true, false},
	}
}

func workerSeconds(t *Trial) *float64 {
	r := t.Summary.Resources
	if r.WorkersMean == nil || r.SampledSeconds == nil {
		return nil
	}
	return new(*r.WorkersMean * *r.SampledSeconds)
}

func float(v *int64) *float64 {
	if v == nil {
		return nil
	}
	return new(float64(*v))
}

func part(n *uint64, whole uint64) *float64 {
	if n == nil || whole == 0 {
		return nil
	}
	return new(float64(*n) / float64(whole))
}

// choose gives the named metrics, or those that are by default; every unknown
// name is told.
func choose(names []string, byDefault func(Metric) bool) ([]Metric, error) {
	var out []Metric
	all := Metrics()
	if len(names) == 0 {
		for _, m := range all {
			if byDefault(m) {
				out = append(out, m)
			}
		}
		return out, nil
	}
	var faults []error
	for _, name := range names {
		i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name })
		if i < 0 {
			faults = append(faults, fmt.Errorf("%w: %s", ErrUsage, profiles.UnknownName("metric", name, metricNames(all))))
			continue
		}
		out = append(out, all[i])
	}
	return out, errors.Join(faults...)
}

func metricNames(all []Metric) []string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	return names
}

// values of the trials that measured it, and which those are.
func (m Metric) values(trials []*Trial) (values []float64, from []*Trial) {
	for _, t := range trials {
		if v := m.value(t); v != nil {
			values, from = append(values, *v), append(from, t)
		}
	}
	return values, from
}
