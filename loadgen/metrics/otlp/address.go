//go:build otlp

package otlp

import (
	"errors"
	"fmt"
	"net/url"
)

// parse completes a collector's address. What the exporter would leave out without
// a word is refused.
func parse(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%q is not an URL, want http://HOST:4318 or https://…", address)
	}
	var faults []error
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		faults = append(faults, fmt.Errorf("%q is not the address of a collector, want http://HOST:4318 or https://… (OTLP over HTTP; gRPC's port 4317 is not spoken)", u.Redacted()))
	}
	if u.User != nil {
		faults = append(faults, errors.New("credentials do not belong into the address: OTEL_EXPORTER_OTLP_HEADERS takes them, as authorization=Bearer%20TOKEN"))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		faults = append(faults, fmt.Errorf("%q has a query or a fragment, which OTLP has not", u.Redacted()))
	}
	if len(faults) > 0 {
		return "", errors.Join(faults...)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/metrics" // opentelemetry.io/docs/specs/otlp/#otlphttp-request
	}
	return u.String(), nil
}
