package batch

import "time"

// pace learns how long trials take, against what was planned for them: the
// longest drain, which few need, on one side; starts and reports on the other.
type pace struct {
	began         map[string]time.Time // trials a worker is at
	planned, took time.Duration        // of the trials done
}

// note takes up a change of a trial's record.
func (p *pace) note(t Trial, before, after Entry, now time.Time) {
	if p.began == nil {
		p.began = map[string]time.Time{}
	}
	switch {
	case after.State == Claimed && (before.State != Claimed || before.Attempt != after.Attempt):
		p.began[t.ID] = now
	case after.State == Done && before.State == Claimed && !p.began[t.ID].IsZero():
		p.planned += t.Length
		p.took += now.Sub(p.began[t.ID])
	}
	if after.State != Claimed {
		delete(p.began, t.ID)
	}
}

// left is how long so much planned work takes for so many workers.
func (p *pace) left(planned time.Duration, workers int) time.Duration {
	if p.planned > 0 {
		planned = time.Duration(float64(planned) * float64(p.took) / float64(p.planned))
	}
	return planned / time.Duration(max(1, workers))
}
