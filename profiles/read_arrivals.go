package profiles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
)

// readArrivals reads the files of recorded arrivals, except a run that is replayed.
// The error is Faults.
func (p *Profile) readArrivals(profile string) error {
	var err error
	switch a := p.Arrivals; {
	case a.Trace != nil:
		p.Recorded, err = trace.Read(*a.Trace, openRecorded)
	case a.Times != nil:
		p.Recorded, err = a.Times.read()
	default:
		return nil
	}
	if err == nil {
		return p.matchFunctions(profile)
	}
	var faults trace.Faults
	if !errors.As(err, &faults) {
		return Faults{{File: profile, Key: "arrivals." + p.Arrivals.Law, Message: err.Error()}}
	}
	mine := make(Faults, len(faults))
	for i, f := range faults {
		mine[i] = Fault{File: f.File, Line: f.Line, Column: f.Column, Message: f.Message}
	}
	return mine
}

// matchFunctions reports functions of the profile that a trace does not have.
func (p *Profile) matchFunctions(profile string) error {
	called := p.Recorded.Source.Functions()
	if len(called) == 0 {
		return nil
	}
	matched, named := map[*Function]bool{}, p.functionNamed()
	for _, f := range called {
		matched[named(f.Name)] = true
	}
	var faults Faults
	for i := range p.Functions {
		if !matched[&p.Functions[i]] {
			faults = append(faults, Fault{File: profile, Key: fmt.Sprintf("functions[%d].name", i),
				Message: fmt.Sprintf("%q is none of the %d functions that the trace plays", p.Functions[i].Name, len(called))})
		}
	}
	return faults.err()
}

// openRecorded opens a file, or an embedded one where there is none of the name.
func openRecorded(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if e, embeddedErr := embedded.Open(name); embeddedErr == nil {
			return e, nil
		}
	}
	return f, err
}

// read turns the instants into a recording.
func (t *Times) read() (*trace.Trace, error) {
	instants := make([]arrival.Instant, len(t.At))
	for i, at := range t.At {
		instants[i].At = at
	}
	if t.File != "" {
		f, err := openRecorded(t.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if instants, err = readInstants(t.File, f); err != nil {
			return nil, err
		}
	}
	r, err := arrival.NewRecording("times", instants, nil, 0)
	if err == nil {
		r, err = r.Scaled(t.Speed, 1)
	}
	if err != nil {
		return nil, err
	}
	n := uint64(len(instants))
	return &trace.Trace{Source: r, Calls: n, Kept: n}, nil
}

// maxInstantFaults bounds the text about a hopeless file.
const maxInstantFaults = 20

// readInstants reads one instant a line: all durations, or all timestamps, which
// count from the earliest. Blank lines and those that begin with # say nothing.
func readInstants(name string, r io.Reader) ([]arrival.Instant, error) {
	var (
		instants []arrival.Instant
		faults   trace.Faults
		zero     time.Time // the first timestamp
		earliest time.Duration
	)
	lines := bufio.NewScanner(r)
	line := 0
	fault := func(format string, args ...any) {
		faults = append(faults, trace.Fault{File: name, Line: line, Message: fmt.Sprintf(format, args...)})
	}
	for len(faults) < maxInstantFaults && lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		var at time.Duration
		stamp, err := time.Parse(time.RFC3339Nano, text)
		isStamp := err == nil
		switch {
		case isStamp && len(instants) == 0:
			zero = stamp
		case isStamp && !zero.IsZero():
			at = stamp.Sub(zero)
			earliest = min(earliest, at)
		case isStamp || !zero.IsZero():
			fault("%q: durations and timestamps are mixed", clip(text))
			continue
		default:
			if at, err = ParseDuration(text); err != nil {
				fault("%v (or a timestamp such as 2026-01-31T10:00:00.5Z)", err)
				continue
			}
		}
		if len(instants) == arrival.MaxRecorded {
			fault("more than %d instants", arrival.MaxRecorded)
			break
		}
		instants = append(instants, arrival.Instant{At: at})
	}
	if err := lines.Err(); err != nil {
		line++
		fault("%v", err)
	}
	if len(faults) == 0 && len(instants) == 0 {
		line = 0
		fault("no instants")
	}
	if len(faults) > 0 {
		return nil, faults
	}
	for i := range instants {
		instants[i].At -= earliest
	}
	return instants, nil
}
