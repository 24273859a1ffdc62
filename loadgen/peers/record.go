package main

import (
	"cmp"
	"slices"
	"time"

	"edgebench/loadgen/peers/tool"
	"edgebench/monitor"
)

// A Record is one run of one generator, or why there is none.
type Record struct {
	Part      string             `json:"part"`
	Tool      string             `json:"tool"`
	Round     int                `json:"round"` // from 1
	Rate      int                `json:"rate_rps,omitzero"`
	Law       string             `json:"law,omitzero"`
	Args      []string           `json:"args,omitempty"`
	Figures   *tool.Figures      `json:"figures,omitempty"`
	CPU       time.Duration      `json:"cpu_ns,omitzero"`
	PeakBytes int64              `json:"peak_bytes,omitzero"`
	Values    map[string]float64 `json:"values,omitempty"` // by the key of a row
	Error     string             `json:"error,omitempty"`
}

// results are everything a comparison found out.
type results struct {
	Args     []string          `json:"args"`
	Started  time.Time         `json:"started_utc"`
	Took     time.Duration     `json:"took_ns"`
	Quick    bool              `json:"quick"`
	Rounds   int               `json:"rounds"`
	Machine  monitor.Host      `json:"machine"`
	Versions map[string]string `json:"versions"`
	Missing  map[string]string `json:"missing"` // tools that could not be had, and why
	Records  []Record          `json:"records"`

	plan  plan
	tools []tool.Tool
}

// isBehind reports whether a generator did not keep a rate that latency or
// pace was asked at.
func (r *results) isBehind(partName, toolName string, rate int) bool {
	kept, known := medianOf(r.of(partName, toolName, rate), func(r Record) (float64, bool) {
		if r.Figures.Keeps(rate) {
			return 1, true
		}
		return 0, true
	})
	return known && kept == 0
}

// of are the records of a question, those that failed included.
func (r *results) of(part, toolName string, rate int) []Record {
	var kept []Record
	for _, rec := range r.Records {
		if rec.Part == part && rec.Tool == toolName && rec.Rate == rate {
			kept = append(kept, rec)
		}
	}
	return kept
}

// fault is why a question has no answer; empty when it has one or was not put.
func fault(records []Record) string {
	why := ""
	for _, rec := range records {
		if rec.Error == "" {
			return ""
		}
		why = rec.Error
	}
	return why
}

// medianOf is the median over the records that have the value.
func medianOf(records []Record, pick func(Record) (float64, bool)) (float64, bool) {
	var values []float64
	for _, rec := range records {
		if rec.Error != "" {
			continue
		}
		if v, ok := pick(rec); ok {
			values = append(values, v)
		}
	}
	return median(values)
}

// median is the lower one of an even number; false of nothing.
func median[T cmp.Ordered](values []T) (T, bool) {
	if len(values) == 0 {
		var none T
		return none, false
	}
	slices.Sort(values)
	return values[(len(values)-1)/2], true
}
