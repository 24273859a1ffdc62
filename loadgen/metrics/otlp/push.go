//go:build otlp

package otlp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"

	"edgebench/loadgen/metrics"
)

// A pace is how often is pushed and how long is waited.
type pace struct {
	every    time.Duration // between pushes, and the patience with each
	farewell time.Duration // the patience with the last one, when the run is over
}

// A Pusher brings a run's metrics to a collector until it is closed.
type Pusher struct {
	run      *metrics.Run
	pace     pace
	warn     func(string)
	endpoint string
	exporter *otlpmetrichttp.Exporter
	resource *resource.Resource
	began    time.Time // since when counts count
	stop     context.CancelFunc
	done     chan struct{} // closed when the loop is over

	tried, failed int // pushes; the loop's, then Close's
}

// Open begins to push the state of run to the collector at address, an URL whose
// path is /v1/metrics when it has none. Headers, TLS files and compression are as
// OTEL_EXPORTER_OTLP_… say, attributes of the resource as OTEL_RESOURCE_ATTRIBUTES.
// warn takes what goes wrong later. An error is a fault of the address or of those
// variables.
func Open(address, version string, run *metrics.Run, warn func(string)) (*Pusher, error) {
	return open(address, version, run, warn, pace{every: 5 * time.Second, farewell: 2 * time.Second})
}

func open(address, version string, run *metrics.Run, warn func(string), at pace) (*Pusher, error) {
	endpoint, err := parse(address)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Pusher{run: run, warn: warn, pace: at, endpoint: endpoint, began: time.Now(), stop: stop, done: make(chan struct{})}
	if p.resource, err = describe(ctx, version); err == nil {
		// Nothing is sent again: the next push has it all, and newer.
		p.exporter, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(endpoint), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	}
	if err != nil {
		stop()
		return nil, err
	}
	go p.loop(ctx)
	return p, nil
}

// describe is who reports: each generator of a run by an id of its own, unless the
// environment names it.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	r, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("loadgen"), semconv.ServiceVersion(version), semconv.ServiceInstanceID(rand.Text())),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return r, nil
}

func (p *Pusher) loop(ctx context.Context) {
	defer close(p.done)
	tick := time.NewTicker(p.pace.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := p.push(ctx, p.pace.every); err != nil && p.failed == 1 {
			p.warn(fmt.Sprintf("OTLP: %v; the run goes on, and so do the pushes", err))
		}
	}
}

// push sends the state as it is, within patience. One that the end of the run
// interrupts has not failed: the last one has it all.
func (p *Pusher) push(ctx context.Context, patience time.Duration) error {
	s, begun := p.run.State()
	if !begun {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := p.exporter.Export(within, &metricdata.ResourceMetrics{Resource: p.resource, ScopeMetrics: p.scope(&s, time.Now())})
	if ctx.Err() != nil {
		return nil
	}
	p.tried++
	if err == nil {
		return nil
	}
	p.failed++
	if errors.Is(within.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s did not take the metrics within %v", p.endpoint, patience)
	}
	return fmt.Errorf("%s does not take the metrics: %w", p.endpoint, err)
}

// Close pushes what there is in the end and returns, within two seconds.
func (p *Pusher) Close() {
	p.stop()
	<-p.done
	err := p.push(context.Background(), p.pace.farewell)
	switch {
	case err != nil:
		p.warn(fmt.Sprintf("OTLP: the last push is lost: %v (%d of %d pushes failed); the run directory has it all", err, p.failed, p.tried))
	case p.failed > 0:
		p.warn(fmt.Sprintf("OTLP: %d of %d pushes failed; the last one, which has the final counts, arrived", p.failed, p.tried))
	}
	_ = p.exporter.Shutdown(context.Background()) // it holds nothing back
}
