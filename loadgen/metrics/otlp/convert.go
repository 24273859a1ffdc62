//go:build otlp

package otlp

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"edgebench/loadgen/metrics"
	"edgebench/target/exposition"
)

// scope is the state as OTLP has it. Names stay as Prometheus has them, so that
// one dashboard serves both ways.
func (p *Pusher) scope(s *metrics.State, now time.Time) []metricdata.ScopeMetrics {
	var all []metricdata.Metrics
	for _, m := range s.Metrics() {
		all = append(all, metricdata.Metrics{Name: m.Name, Description: m.Help, Unit: m.Unit, Data: aggregate(&m, p.began, now)})
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: "edgebench/loadgen", Version: s.Version}, Metrics: all}}
}

func aggregate(m *metrics.Metric, began, now time.Time) metricdata.Aggregation {
	var labels []attribute.KeyValue
	for i := 0; i+1 < len(m.Labels); i += 2 {
		labels = append(labels, attribute.String(m.Labels[i], m.Labels[i+1]))
	}
	set := attribute.NewSet(labels...)
	if h := m.Histogram; h != nil {
		bounds, counts := h.Classic()
		return metricdata.Histogram[float64]{
			Temporality: metricdata.CumulativeTemporality,
			DataPoints: []metricdata.HistogramDataPoint[float64]{{
				Attributes: set, StartTime: began, Time: now, Count: h.Count, Sum: h.Sum, Bounds: bounds, BucketCounts: counts,
			}},
		}
	}
	point := []metricdata.DataPoint[float64]{{Attributes: set, StartTime: began, Time: now, Value: m.Value}}
	if m.Kind == exposition.Counter {
		return metricdata.Sum[float64]{Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: point}
	}
	return metricdata.Gauge[float64]{DataPoints: point}
}
