//go:build !otlp

package otlp

import (
	"errors"

	"edgebench/loadgen/metrics"
)

// A Pusher is never opened in this build.
type Pusher struct{}

// Open fails: this build has no exporter.
func Open(string, string, *metrics.Run, func(string)) (*Pusher, error) {
	return nil, errors.New("this loadgen was built without OTLP: go build -tags otlp -o bin/ ./loadgen")
}

// Close does nothing.
func (*Pusher) Close() {}
