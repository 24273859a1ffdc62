//go:build otlp

package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	wire "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// A receiver takes OTLP over HTTP as a collector does.
type receiver struct {
	*httptest.Server
	pushes chan *wire.ResourceMetrics
}

// receive starts one; before says what a push is answered, 0 for taking it.
func receive(t *testing.T, before func(*http.Request) int) *receiver {
	t.Helper()
	r := &receiver{pushes: make(chan *wire.ResourceMetrics, 1000)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return // the pusher gave up
		}
		if status := before(req); status != 0 {
			http.Error(w, "not \x1b[31mnow", status)
			return
		}
		var push collector.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &push); err != nil || req.URL.Path != "/v1/metrics" || len(push.ResourceMetrics) != 1 {
			t.Errorf("%s: %v, %d resources", req.URL.Path, err, len(push.ResourceMetrics))
			return
		}
		r.pushes <- push.ResourceMetrics[0]
	}))
	t.Cleanup(r.Close)
	return r
}

func takes(*http.Request) int { return 0 }

// last is what arrived last.
func (r *receiver) last(t *testing.T) *wire.ResourceMetrics {
	t.Helper()
	last := <-r.pushes
	for len(r.pushes) > 0 {
		last = <-r.pushes
	}
	return last
}

// named finds a metric of a push.
func named(t *testing.T, push *wire.ResourceMetrics, name string) *wire.Metric {
	t.Helper()
	for _, m := range push.ScopeMetrics[0].Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s", name)
	return nil
}

// count is the value of a counter of a push.
func count(t *testing.T, push *wire.ResourceMetrics, name string) uint64 {
	t.Helper()
	sum := named(t, push, name).GetSum()
	if sum == nil || !sum.IsMonotonic || sum.AggregationTemporality != wire.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Fatalf("%s is no cumulative counter: %v", name, sum)
	}
	return uint64(sum.DataPoints[0].GetAsDouble())
}

func attributes(of []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range of {
		m[a.Key] = a.Value.GetStringValue()
	}
	return m
}
