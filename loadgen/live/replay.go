package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"edgebench/analysis/rundir"
)

// flushEvery is how often a replay tells what is new: a few times a second,
// however fast it is.
const flushEvery = 250 * time.Millisecond

// A Replay is a finished run that is told again to a feed.
type Replay struct {
	run   *rundir.Run
	steps []step
}

// A step is something that happened, to be told at its instant.
type step struct {
	at   int64 // ns of the run
	tell func(*Feed)
}

// OpenReplay reads what there is to tell of a run directory.
func OpenReplay(dir string) (*Replay, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	r := &Replay{run: run}
	_, err = rundir.ReadTimeseries(dir, func(v rundir.Interval) error {
		r.add((v.Second+1)*1e9, func(f *Feed) { f.Second(v) })
		return nil
	})
	_, monitorErr := rundir.ReadMonitor(dir, func(row *rundir.MonitorRow) error {
		kept := *row
		r.add(row.TNS, func(f *Feed) { f.Memory(&kept) })
		return nil
	})
	_, eventsErr := rundir.ReadEvents(dir, func(e *rundir.Event) error {
		line := slices.Clone(e.Raw)
		r.add(e.UnixNS-run.Manifest.StartedUnixNS, func(f *Feed) { f.Event(line) })
		return nil
	})
	for _, err := range []error{err, monitorErr, eventsErr} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that is not there has nothing to tell
			return nil, err
		}
	}
	slices.SortStableFunc(r.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return r, nil
}

func (r *Replay) add(at int64, tell func(*Feed)) { r.steps = append(r.steps, step{at, tell}) }

// Label names the run among others.
func (r *Replay) Label() string {
	m := r.run.Manifest
	label := fmt.Sprintf("%s %s seed %d", m.Profile, m.Mode, m.Seed)
	if m.Producer == rundir.ProducerTwin {
		label += ", simulated"
	}
	return label
}

// Play tells the run to f at speed times its own pace, from its first second on;
// speed 0 tells it all at once. verdict is the last word.
func (r *Replay) Play(ctx context.Context, f *Feed, speed float64, verdict string) {
	note := "replay of a finished run"
	if speed > 0 {
		note = fmt.Sprintf("replay at %g times its speed", speed)
	}
	f.Begin(r.run.Manifest, note)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	begun := time.Now()
	for steps := r.steps; len(steps) > 0 && ctx.Err() == nil; {
		due := steps[len(steps)-1].at
		if speed > 0 {
			due = int64(float64(time.Since(begun)) * speed)
		}
		for len(steps) > 0 && steps[0].at <= due {
			steps[0].tell(f)
			steps = steps[1:]
		}
		f.Flush()
		if len(steps) > 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}
	f.End(verdict, "kept in "+r.run.Dir)
}
