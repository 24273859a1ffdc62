package engine

import (
	"time"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/record"
)

// Distributions are those of record.Recorder.
func (r *Run) Distributions(f func(response, lag *rundir.Distribution)) {
	r.recorder.Distributions(f)
}

// Progress tells how far the run is. Safe from any goroutine.
func (r *Run) Progress() Progress {
	p := Progress{Progress: r.recorder.Progress(), Planned: r.duration, Phase: -1}
	for i, phase := range r.config.Schedule.Phases() {
		if p.At > 0 && phase.Start < p.At {
			p.Phase = i
		}
	}
	return p
}

// Progress is a run so far.
type Progress struct {
	record.Progress
	Planned time.Duration // of the whole schedule
	Phase   int           // index of the phase the last complete second ended in, -1 before the first
}
