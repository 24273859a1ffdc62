// Package nodecost reads what the node's measuring commands print as JSON: what
// a start costs (target cold-start) and what deciding costs (target
// predictor-cost). It links nothing of the node, whose binary measures itself;
// it refuses a schema it does not know and a measurement that was broken off.
package nodecost

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// coldStartSchema is the schema_version of cold-start that is read here.
const coldStartSchema = 1

// ColdStart is the report of target cold-start.
type ColdStart struct {
	SchemaVersion int       `json:"schema_version"`
	Interrupted   bool      `json:"interrupted"`
	Workers       int       `json:"workers"` // whose memory was measured
	HeapBytes     int64     `json:"heap_bytes"`
	Machine       string    `json:"machine"`
	Runtimes      []Runtime `json:"runtimes"`
	Warnings      []string  `json:"warnings"`
}

// A Runtime is what starting workers of one kind costs.
type Runtime struct {
	Name     string  `json:"runtime"`
	Ready    Latency `json:"spawn_to_ready"`
	Answered Latency `json:"spawn_to_answer"` // of the first request
	Memory   []State `json:"memory"`
}

// A Latency is a sample of durations in short, with 95 % intervals by order
// statistics; null where the sample is too small to bound a quantile.
type Latency struct {
	N       int            `json:"n"`
	P50     *time.Duration `json:"p50_ns"`
	P50Low  *time.Duration `json:"p50_low_ns"`
	P50High *time.Duration `json:"p50_high_ns"`
	P99     *time.Duration `json:"p99_ns"`
	Max     *time.Duration `json:"max_ns"`
}

// A State is the memory of all workers together, in bytes.
type State struct {
	Name   string `json:"state"` // fresh, or dirty_P after writing to P % of the heap
	RSS    int64  `json:"rss_bytes"`
	PSS    int64  `json:"pss_bytes"`
	USS    int64  `json:"uss_bytes"`
	AllPSS int64  `json:"with_template_pss_bytes"`
}

// ReadColdStart reads a report.
func ReadColdStart(data []byte) (*ColdStart, error) {
	c := new(ColdStart)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("cold-start: %w", err)
	}
	switch {
	case c.SchemaVersion != coldStartSchema:
		return nil, fmt.Errorf("cold-start: schema_version %d is not known; this program reads %d", c.SchemaVersion, coldStartSchema)
	case c.Interrupted:
		return nil, errors.New("cold-start: it was interrupted; measure again")
	case len(c.Runtimes) == 0:
		return nil, errors.New("cold-start: no runtime was measured")
	}
	for _, r := range c.Runtimes {
		if r.Ready.P50 == nil || r.Answered.P50 == nil {
			return nil, fmt.Errorf("cold-start: runtime %q has no start", r.Name)
		}
	}
	return c, nil
}

// Runtime is the one of that name.
func (c *ColdStart) Runtime(name string) (Runtime, bool) {
	for _, r := range c.Runtimes {
		if r.Name == name {
			return r, true
		}
	}
	return Runtime{}, false
}

// Predictor is the report of target predictor-cost.
type Predictor struct {
	Decisions   []Decision `json:"decisions"`
	Engines     []Engine   `json:"engines"`
	Interrupted bool       `json:"interrupted"`
}

// A Decision is what one decision of a policy costs, in ns.
type Decision struct {
	Policy      string  `json:"policy"`
	MeanNS      float64 `json:"mean_ns"`
	P50NS       int64   `json:"p50_ns"`
	P99NS       int64   `json:"p99_ns"`
	Allocations float64 `json:"allocations"`
}

// An Engine is a program that fits ARIMA.
type Engine struct {
	Name    string `json:"name"`
	Missing string `json:"missing"` // why nothing was measured
	Fits    []Fit  `json:"fits"`
	Memory  struct {
		PSS int64 `json:"pss"`
	} `json:"memory_bytes"`
}

// A Fit is of so many windows, from question to answer.
type Fit struct {
	Windows int   `json:"windows"`
	P50NS   int64 `json:"p50_ns"`
	MaxNS   int64 `json:"max_ns"`
}

// ReadPredictor reads a report.
func ReadPredictor(data []byte) (*Predictor, error) {
	p := new(Predictor)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("predictor-cost: %w", err)
	}
	switch {
	case p.Interrupted:
		return nil, errors.New("predictor-cost: it was interrupted; measure again")
	case len(p.Decisions) == 0:
		return nil, errors.New("predictor-cost: no policy was measured")
	}
	return p, nil
}
