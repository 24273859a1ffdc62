package rundir

import (
	"fmt"
	"time"

	"edgebench/profiles/arrival"
	"edgebench/profiles/arrival/trace"
)

// ReadReplay reads when the requests of a run were scheduled, for another run to
// play them again: speed times as fast, each with probability scale. Requests that
// were dropped are played too. A run without a row for every request is refused:
// what is missing would be silently less load.
func ReadReplay(dir string, speed, scale float64) (*trace.Trace, error) {
	run, err := Open(dir)
	if err != nil {
		return nil, err
	}
	m := run.Manifest
	if without := m.RowsLost + m.RowsSkipped; without > 0 {
		return nil, fmt.Errorf("%s cannot be replayed: %d of its requests have no row (rows: all keeps every one)", dir, without)
	}
	t := &trace.Trace{Functions: len(m.Functions), Selected: len(m.Functions)}
	functions := make([]arrival.Function, len(m.Functions))
	for i, name := range m.Functions {
		functions[i].Name = name
	}
	var instants []arrival.Instant
	notes, err := ReadSamples(dir, func(s *Sample) error {
		if len(instants) == arrival.MaxRecorded {
			return fmt.Errorf("%s cannot be replayed: it has more than %d requests", dir, arrival.MaxRecorded)
		}
		instants = append(instants, arrival.Instant{At: time.Duration(s.Scheduled), Function: s.Function})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if notes.Torn != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("the rows of %s end early: %s", dir, notes.Torn))
	}
	if m.Interruption != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("%s was interrupted: what it had scheduled until then is played", dir))
	}
	recording, err := arrival.NewRecording("replay", instants, functions, time.Duration(m.DurationNS))
	if err == nil {
		recording, err = recording.Scaled(speed, scale)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be replayed: %w", dir, err)
	}
	t.Source, t.Calls, t.Kept = recording, uint64(len(instants)), uint64(len(instants))
	return t, nil
}
