package tool

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

var ours = Tool{
	Name:    Ours,
	Source:  Source{Program: "loadgen"},
	Guess:   80_000,
	Latency: "from the planned instant, lag and waiting for a connection included",
	Paces:   "each request at its own instant; 100 connections are opened before, more when all are busy",
	Expect:  []int{exitInvalid},
	Invoke:  invokeOurs,
	Parse:   parseOurs,
}

// oursSpin waits for the next instant without giving the core away.
var oursSpin = Tool{
	Name:    "ours-spin",
	Source:  ours.Source,
	Variant: true,
	Latency: ours.Latency,
	Paces:   "as ours, the core never idle",
	Expect:  ours.Expect,
	Invoke: func(l Load) Invocation {
		l.Settings = append([]string{"precision=spin"}, l.Settings...)
		return invokeOurs(l)
	},
	Parse: parseOurs,
}

// exitInvalid is the exit code of a run that the generator spoiled: its figures
// are printed, and count as they are.
const exitInvalid = 11

func invokeOurs(l Load) Invocation {
	args := []string{
		"run", "--url", l.URL, "--rate", fmt.Sprintf("%d/s", l.Rate), "--duration", l.Length.String(),
		"--quiet", "--json", "--out", filepath.Join(l.Scratch, "runs"), "--set", "connections=" + strconv.Itoa(l.Connections),
	}
	for _, s := range l.Settings {
		args = append(args, "--set", s)
	}
	return Invocation{Args: args}
}

func parseOurs(stdout []byte) (Figures, error) {
	var s struct {
		Run struct {
			Elapsed  time.Duration `json:"elapsed_ns"`
			Duration time.Duration `json:"duration_ns"`
		}
		Counts struct {
			OK, Errors, Dropped uint64
			OpenAtEnd           uint64 `json:"open_at_end"`
		}
		Response struct {
			P50  *time.Duration `json:"p50_ns"`
			P90  *time.Duration `json:"p90_ns"`
			P99  *time.Duration `json:"p99_ns"`
			P999 *time.Duration `json:"p999_ns"`
		}
	}
	if err := json.Unmarshal(stdout, &s); err != nil {
		return Figures{}, fmt.Errorf("summary of loadgen: %w", err)
	}
	return Figures{
		OK: s.Counts.OK, Failed: s.Counts.Errors + s.Counts.OpenAtEnd, Dropped: s.Counts.Dropped,
		Elapsed: max(s.Run.Elapsed, s.Run.Duration), // until the last answer: who is behind ends late
		P50:     s.Response.P50, P90: s.Response.P90, P99: s.Response.P99, P999: s.Response.P999,
	}, nil
}
