package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var k6 = Tool{
	Name:    "k6",
	Source:  Source{Program: "k6", Module: "go.k6.io/k6", Version: "v1.8.1"},
	Guess:   2000,
	Latency: "http_req_duration, from the first byte sent: neither the late start of an iteration nor connecting is in it",
	Paces:   "constant-arrival-rate, 100 virtual users; what finds none free is dropped, and told",
	Invoke: func(l Load) Invocation {
		return Invocation{
			Files: map[string]string{"script.js": k6Script(l)},
			Args:  []string{"run", "--quiet", "--no-usage-report", "--no-color", filepath.Join(l.Scratch, "script.js")},
		}
	},
	Parse: parseK6,
}

// k6Script uses a virtual user a connection, as each has its own.
func k6Script(l Load) string {
	return fmt.Sprintf(`import http from 'k6/http';
export const options = {
  discardResponseBodies: true,
  summaryTrendStats: ['p(50)', 'p(90)', 'p(99)', 'p(99.9)'],
  scenarios: {even: {executor: 'constant-arrival-rate', rate: %d, timeUnit: '1s', duration: '%dms',
    preAllocatedVUs: %[3]d, maxVUs: %[3]d, gracefulStop: '30s'}},
};
export default function () { http.get(%[4]q); }
export function handleSummary(data) { return {stdout: JSON.stringify({state: data.state, metrics: data.metrics}) + '\n'}; }
`, l.Rate, l.Length.Milliseconds(), l.Connections, l.URL)
}

func parseK6(stdout []byte) (Figures, error) {
	var s struct {
		State   struct{ TestRunDurationMs float64 }
		Metrics struct {
			Duration struct{ Values map[string]float64 } `json:"http_req_duration"` // ms
			Failed   struct {
				Values struct{ Passes, Fails uint64 }
			} `json:"http_req_failed"`
			Dropped struct{ Values struct{ Count uint64 } } `json:"dropped_iterations"` // absent for none
		}
	}
	if err := json.Unmarshal(stdout, &s); err != nil {
		return Figures{}, fmt.Errorf("summary of k6: %w", err)
	}
	m := s.Metrics
	f := Figures{
		OK: m.Failed.Values.Fails, Failed: m.Failed.Values.Passes, // of the statement that a request failed
		Dropped: m.Dropped.Values.Count, Elapsed: time.Duration(s.State.TestRunDurationMs * 1e6),
	}
	if f.OK+f.Failed == 0 {
		return Figures{}, errors.New("summary of k6: no request was made")
	}
	for name, ms := range m.Duration.Values {
		p, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(name, "p("), ")"), 64)
		if err != nil {
			return Figures{}, fmt.Errorf("summary of k6: percentile %q: %w", name, err)
		}
		f.set(p, time.Duration(ms*1e6))
	}
	return f, nil
}
