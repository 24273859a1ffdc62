package coldstart

import (
	"time"

	"edgebench/target/smaps"
)

// SchemaVersion is of the JSON form; it grows when a key changes its meaning.
const SchemaVersion = 1

// A Report is everything that was measured.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Planned       int      `json:"starts_planned"` // of each runtime
	Interrupted   bool     `json:"interrupted"`
	Workers       int      `json:"workers"` // whose memory was measured
	HeapBytes     int64    `json:"heap_bytes"`
	Work          string   `json:"work"`
	Seed          uint64   `json:"seed"`
	Machine       string   `json:"machine"`
	Results       []Result `json:"runtimes"` // in the order asked for
	Warnings      []string `json:"warnings"`
}

// A Result is one runtime's part.
type Result struct {
	Runtime    string  `json:"runtime"`
	About      string  `json:"about,omitempty"` // of the program that workers run
	TemplateNS *int64  `json:"template_start_ns"`
	Ready      Latency `json:"spawn_to_ready"`
	Answered   Latency `json:"spawn_to_answer"` // of the first request
	First      Latency `json:"first_request"`
	Second     Latency `json:"second_request"`
	Memory     []State `json:"memory"`

	starts []start
}

// A start is one worker's life, in the order of the rounds.
type start struct {
	ready, first, second time.Duration
}

func (s start) answered() time.Duration { return s.ready + s.first }

// A State is the memory of all workers, and of their template, after each has
// done the same.
type State struct {
	Name     string // fresh: no request yet; dirty_P: after a request that wrote to P % of the heap
	Workers  smaps.Memory
	Template *smaps.Memory // nil without one
}

// All is workers and template together.
func (s State) All() smaps.Memory {
	if s.Template == nil {
		return s.Workers
	}
	return s.Workers.Add(*s.Template)
}

// summarize fills in the latencies from the starts there are.
func (r *Result) summarize() {
	column := func(f func(start) time.Duration) []time.Duration {
		all := make([]time.Duration, len(r.starts))
		for i, s := range r.starts {
			all[i] = f(s)
		}
		return all
	}
	r.Ready = latencyOf(column(func(s start) time.Duration { return s.ready }))
	r.Answered = latencyOf(column(start.answered))
	r.First = latencyOf(column(func(s start) time.Duration { return s.first }))
	r.Second = latencyOf(column(func(s start) time.Duration { return s.second }))
}
