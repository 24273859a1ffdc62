package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// EventClockStep is the event of a real-time clock that was set during the run.
const EventClockStep = "clock_step"

// An Event is one line of events.jsonl. Instants are real time, because two
// processes write here; subtract Manifest.StartedUnixNS to reach the run's
// clock. The reader takes steps of the real-time clock out of them. Only UnixNS and Event are always there; Raw has whatever else was told.
type Event struct {
	UnixNS int64  `json:"unix_ns"`
	Event  string `json:"event"` // phase_start | decision | alarm | worker_start | worker_end | …
	Reason string `json:"reason"`

	Phase string `json:"phase"`
	Cycle int    `json:"cycle"`

	Worker      *int64   `json:"worker"`
	Target      *int64   `json:"target"`
	RateRPS     *float64 `json:"rate_rps"`
	BaselineRPS *float64 `json:"baseline_rps"`
	CUSUM       *float64 `json:"cusum"`
	StepNS      int64    `json:"step_ns"` // of a clock_step: by how much the real-time clock was set

	Raw json.RawMessage `json:"-"`
}

// ReadEvents calls each for every event. Raw is valid until each returns.
func ReadEvents(dir string, each func(*Event) error) (ReadNotes, error) {
	path := filepath.Join(dir, EventsFile)
	f, err := open(path)
	if err != nil {
		return ReadNotes{}, err
	}
	defer f.Close()
	return readEvents(path, f, each)
}

func readEvents(name string, r io.Reader, each func(*Event) error) (ReadNotes, error) {
	lines := newLineReader(name, r)
	var shift clockShift
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return lines.notes, nil
		}
		if err != nil {
			return lines.notes, err
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return lines.notes, Unreadable(fmt.Errorf("%s:%d: %.60q: %w", name, lines.line, line, err))
		}
		shift.apply(&e)
		e.Raw = line
		lines.notes.Rows++
		if err := each(&e); err != nil {
			return lines.notes, err
		}
	}
}
