package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"edgebench/analysis/rundir"
)

// checkEvents reads events.jsonl for what is wrong with it, and for steps of the
// real-time clock, on which only events hang.
func checkEvents(run *rundir.Run) ([]string, error) {
	var out []string
	notes, err := rundir.ReadEvents(run.Dir, func(e *rundir.Event) error {
		if e.Event == rundir.EventClockStep {
			at := time.Duration(e.UnixNS - run.Manifest.StartedUnixNS)
			out = append(out, fmt.Sprintf("the real-time clock was set by %v at %v: requests and samples are by the monotonic clock, events have the step taken out",
				time.Duration(e.StepNS).Round(100*time.Microsecond), at.Round(100*time.Millisecond)))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return append(notes.Warnings(rundir.EventsFile), out...), err
}
