package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"edgebench/analysis/rundir"
)

// A Begin is called when everything is ready, and returns the start that this
// process and others agreed on. It may wait for the others.
type Begin func(context.Context) (Agreement, error)

// An Agreement is a start that several processes play from.
type Agreement struct {
	At    time.Time // on the clock of this host
	Facts rundir.Start
}

// ErrNotBegun marks a run that was stopped before its start was agreed on.
var ErrNotBegun = errors.New("not begun")

// agree asks for the start and keeps what is known of it.
func (r *run) agree(ctx context.Context) (time.Time, error) {
	a, err := r.Begin(ctx)
	if err != nil {
		return time.Time{}, marked{err, ErrNotBegun}
	}
	r.manifest.Start = &a.Facts
	// The instant is one of the world's clock; the run goes by the monotonic one
	// from here on, so that a step of the former moves nothing.
	now := time.Now()
	return now.Add(a.At.Sub(now.Round(0))), nil
}

// At is a start by appointment: the clocks of the hosts are trusted.
func At(instant time.Time) Begin {
	return func(context.Context) (Agreement, error) { return Agreement{At: instant}, nil }
}

// ErrPast is about an appointment that was missed before anything was prepared.
var ErrPast = errors.New("the start has passed")

// openAhead is how long before an appointment connections are opened: enough
// for thousands, and too short for a server to close them as idle.
const openAhead = 5 * time.Second

// NotPast refuses an appointment that was missed.
func NotPast(instant time.Time) error {
	if ago := time.Since(instant); ago >= 0 {
		return marked{fmt.Errorf("%w: %s is %v ago", ErrPast, instant.Format(time.RFC3339Nano), ago.Round(time.Millisecond)), ErrUsage}
	}
	return nil
}

// AwaitAppointment waits until it is time to get ready for the instant.
func AwaitAppointment(ctx context.Context, instant time.Time) error {
	if err := NotPast(instant); err != nil {
		return err
	}
	timer := time.NewTimer(time.Until(instant) - openAhead)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return marked{ctx.Err(), ErrNotBegun}
	}
}

// checkShare refuses a part that cannot be played.
func (r *run) checkShare() error {
	p := r.Profile
	var faults []error
	if b := p.Target.Bundled; b == nil && r.NodeAt != "" {
		faults = append(faults, fmt.Errorf("the target is %s: there is no bundled node to be found at %s", p.Redacted().Target.URL, r.NodeAt))
	} else if b != nil && r.NodeAt == "" && !r.Share.Whole() {
		faults = append(faults, fmt.Errorf("share %v of a profile with the bundled node: each generator would start one of its own; start it with loadgen node and say where it is (--node HOST:PORT)", r.Share))
	}
	if p.MaxInFlight > 0 && r.Share.Part(p.MaxInFlight) == 0 {
		faults = append(faults, fmt.Errorf("max_in_flight %d cannot be split over %d generators", p.MaxInFlight, r.Share.Of))
	}
	if err := errors.Join(faults...); err != nil {
		return marked{err, ErrUsage}
	}
	return nil
}
