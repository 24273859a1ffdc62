package twin

import (
	"context"
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// Record plays the trial and writes it as a run directory below parent, of the
// same schema as a live run's and with producer twin. Memory has no column:
// the twin has none. It returns the sealed directory.
func (t Trial) Record(ctx context.Context, parent, version string, argv []string) (dir string, err error) {
	schedule, err := t.Profile.Schedule()
	if err != nil {
		return "", err
	}
	w, err := t.World()
	if err != nil {
		return "", err
	}
	m := rundir.NewManifest(rundir.ProducerTwin, time.Now())
	m.Versions = map[string]string{"loadgen": version}
	m.Argv, m.Clock = argv, "virtual"
	m.Target = "twin of the bundled node"
	if err := m.Describe(ctx, t.Profile, schedule); err != nil {
		return "", err
	}
	m.Limits = map[string]any{"tick_phase_ns": t.TickPhase().Nanoseconds(), "worker_start_ns": w.Start.Nanoseconds(), "worker_overhead_ns": w.Overhead.Nanoseconds()}
	m.Warnings = append(m.Warnings, t.Warnings()...)
	draft, err := rundir.Create(parent, rundir.Stamp(time.Now()), m.Profile, m.Mode, "twin", m.ID())
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("twin run: %w", err)
			_ = draft.Discard()
		}
	}()
	r, err := newRecorder(draft, m)
	if err != nil {
		return "", err
	}
	w.Answered, w.Decided = r.answered, func(now time.Duration) { r.decided(now, w.Pool) }
	w.Second = func(now time.Duration) { r.second(now, w.Pool) }
	w.Play(schedule.Stream(), schedule.Duration(), t.Profile.DrainTimeout)
	m.ElapsedNS = w.now.Nanoseconds()
	if err := r.finish(t.Profile.YAML()); err != nil {
		return "", err
	}
	return draft.Seal()
}
