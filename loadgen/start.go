package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/experiment"
)

// A startFlag is --start-at: an appointment, or "-" for a caller who names the
// start once everybody is ready.
type startFlag struct {
	text string
	// gone hears that the caller closed standard input after it named the start;
	// nil for who goes on without one.
	gone func()
}

const startHelp = `start of the schedule, RFC 3339 with fractions, the same for every generator; "-" prints a ready line and reads the start from standard input`

func (s *startFlag) add(f *pflag.FlagSet) { f.StringVar(&s.text, "start-at", "", startHelp) }

// A readyLine is what a process says once it could begin.
type readyLine struct {
	Ready bool   `json:"ready"`
	Share string `json:"share,omitempty"`
	Addr  string `json:"addr,omitempty"` // of the node
}

// A startLine is what a caller answers: JSON, or only the instant in RFC 3339.
type startLine struct {
	StartUnixNS int64 `json:"start_unix_ns"` // on this host's clock
	rundir.Start
}

// begin is how a process with this flag comes to its start: nil for at once.
// wait is called with an appointment, to wait until it is time to get ready.
func (s *startFlag) begin(cmd *cobra.Command, ready *readyLine, wait func(time.Time) error) (experiment.Begin, error) {
	switch s.text {
	case "":
		return nil, nil
	case "-":
		return func(ctx context.Context) (experiment.Agreement, error) {
			ready.Ready = true
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(ready); err != nil {
				return experiment.Agreement{}, err
			}
			return s.read(ctx, bufio.NewReader(cmd.InOrStdin()))
		}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, s.text)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--start-at %q: want an instant such as %s, or - to read it from standard input",
			s.text, time.Now().UTC().Add(10*time.Second).Format(time.RFC3339))}
	}
	return experiment.At(at), wait(at)
}

// read waits for the caller's line.
func (s *startFlag) read(ctx context.Context, in *bufio.Reader) (experiment.Agreement, error) {
	type answer struct {
		line string
		err  error
	}
	heard := make(chan answer, 1)
	go func() { // ends with the process when nobody answers
		line, err := in.ReadString('\n')
		heard <- answer{line, err}
		if s.gone != nil {
			_, _ = io.Copy(io.Discard, in)
			s.gone()
		}
	}()
	select {
	case <-ctx.Done():
		return experiment.Agreement{}, ctx.Err()
	case a := <-heard:
		if a.err != nil && strings.TrimSpace(a.line) == "" {
			return experiment.Agreement{}, fmt.Errorf("no start came from standard input: %w", a.err)
		}
		return parseStart(strings.TrimSpace(a.line))
	}
}

func parseStart(text string) (experiment.Agreement, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return experiment.Agreement{At: at}, nil
	}
	var line startLine
	if err := json.Unmarshal([]byte(text), &line); err != nil || line.StartUnixNS <= 0 {
		return experiment.Agreement{}, fmt.Errorf("start %.80q: want an instant, or JSON with start_unix_ns", text)
	}
	return experiment.Agreement{At: time.Unix(0, line.StartUnixNS), Facts: line.Start}, nil
}

// unlessBegun is the exit of a run that was stopped before its start: there is
// nothing to keep.
func unlessBegun(err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(err, experiment.ErrNotBegun) {
		return exitError{exitPartial, errors.New("stopped before the start: nothing was sent")}
	}
	return err
}
