// Package experiment runs one run end to end: it starts the node a profile asks
// for, samples it, drives the engine, and seals what was measured in a run
// directory. It decides the order of these things and who is told of what; it
// measures nothing itself.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/engine"
	"edgebench/loadgen/transport"
	"edgebench/monitor"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// Errors of a run that never began.
var (
	ErrUsage       = errors.New("not possible as asked") // the command line or the profile is to be changed
	ErrUnreachable = errors.New("target unreachable")
)

// A Stop is a cause of a cancelled run, in words that go into the manifest.
type Stop string

func (s Stop) Error() string { return string(s) }

// A marked error reads as err and also is mark.
type marked struct{ err, mark error }

func (m marked) Error() string   { return m.err.Error() }
func (m marked) Unwrap() []error { return []error{m.err, m.mark} }

// Config says what to run and whom to tell.
type Config struct {
	Profile *profiles.Profile
	Out     string // folder for the run directory
	Argv    []string
	Version string
	Node    string // program of the bundled node; "" has it looked for beside loadgen and on PATH

	Share  arrival.Share // the part of the schedule that is sent; the rest is other generators'
	NodeAt string        // HOST:PORT where the bundled node runs already, kept by Keep; "" starts one here
	Begin  Begin         // agrees with others on the start; nil for at once

	Admit       func(Intent) error // asked before anything is started or written; nil for yes
	NoPreflight bool               // does not look what the target speaks before the run

	Abort  <-chan struct{} // gives up what is in flight when closed; nil for never
	Notice io.Writer       // lines about what is going on; nil for none

	// What watches the run; nil for nothing. All of them return at once.
	Begun    func(*rundir.Manifest) // called once, before Progress; what is known before a run is for reading, until it returns
	Progress func(Status)           // called about once a second
	Event    func(line []byte)      // called with each line of events.jsonl, from several goroutines, the first ones before Begun
}

// An Outcome is a run that was written down.
type Outcome struct {
	Dir     string
	Summary *analysis.Summary
}

// A run is one experiment while it goes on.
type run struct {
	Config
	schedule *arrival.Schedule
	manifest *rundir.Manifest
	draft    *rundir.Draft
	files    files
	fs       monitor.FS
	host     monitor.Host
	node     *node // nil for a target of somebody else's
	way      *way
	engine   *engine.Run
	watch    watch
}

// Run plays the profile. Cancelling ctx stops the sending and drains; what was
// measured until then is written all the same. With an error there is no run
// directory or only a partial one, but when an outcome comes with it only a
// derived file is missing.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	if c.Notice == nil {
		c.Notice = io.Discard
	}
	r := &run{Config: c}
	if err := r.plan(ctx, r.checkRequests); err != nil {
		return nil, err
	}
	outcome, err := r.play(ctx)
	if err != nil && r.manifest.ElapsedNS == 0 {
		// Nothing was sent, so there is nothing to keep.
		return nil, errors.Join(err, r.draft.Discard())
	}
	return outcome, err
}

// plan finds faults before anything is started; part settles what of the whole
// this process has to do.
func (r *run) plan(ctx context.Context, part func() error) (err error) {
	if r.Profile.Target.Placeholder() {
		return marked{fmt.Errorf("profile %s names no endpoint of its own: give --url", r.Profile.Name), ErrUsage}
	}
	if r.fs, err = monitor.NewFS(monitor.Proc); err != nil {
		return err
	}
	if r.manifest, r.schedule, err = Manifest(ctx, r.Profile); err != nil {
		return err
	}
	if err := part(); err != nil {
		return err
	}
	if err := r.admit(ctx); err != nil {
		return err
	}
	r.manifest.Versions = map[string]string{"loadgen": r.Version}
	r.manifest.Argv, r.manifest.Clock = r.Argv, "CLOCK_MONOTONIC"
	r.examine(ctx)
	if r.draft, err = rundir.Create(r.Out, rundir.Stamp(time.Now()), r.manifest.Profile, r.manifest.Mode, r.manifest.PartName(), r.manifest.ID()); err != nil {
		return marked{err, ErrUsage}
	}
	if err := r.files.open(r.draft, r.manifest, r.Profile.Redacted()); err != nil {
		return errors.Join(err, r.draft.Discard())
	}
	return nil
}

// checkRequests takes the share that is sent here, and refuses requests that
// cannot be made.
func (r *run) checkRequests() error {
	if err := r.checkShare(); err != nil {
		return err
	}
	r.manifest.TakeShare(r.Share)
	_, err := compile(r.Profile, r.schedule, anyOrigin, os.LookupEnv)
	return err
}

// Manifest is what is known of a run before it begins, its thresholds checked
// against its phases.
func Manifest(ctx context.Context, p *profiles.Profile) (*rundir.Manifest, *arrival.Schedule, error) {
	schedule, err := p.Schedule()
	if err != nil {
		return nil, nil, err
	}
	m := rundir.NewManifest(rundir.ProducerLoadgen, time.Now())
	if err := m.Describe(ctx, p.Redacted(), schedule); err != nil {
		return nil, nil, err
	}
	if _, err := analysis.ParseThresholds(m); err != nil {
		return nil, nil, placed(p, err, func(one error) (key, message string, ok bool) {
			fault, ok := errors.AsType[*analysis.ThresholdFault](one)
			if ok {
				key, message = fmt.Sprintf("thresholds[%d]", fault.Index), fault.Error()
			}
			return key, message, ok
		})
	}
	return m, schedule, nil
}

// play starts the target, drives the load and writes everything down.
func (r *run) play(ctx context.Context) (*Outcome, error) {
	origin, err := r.begin(ctx)
	if r.node != nil {
		// The node ends however this function does; its own end is told by then.
		defer r.endNode(context.WithoutCancel(ctx))
	}
	if err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, origin); err != nil {
		return nil, err
	}
	before := r.measureGenerator()
	result, err := r.drive(ctx)
	r.manifest.ElapsedNS = int64(max(result.Ended, 0))
	switch {
	case errors.Is(err, transport.ErrUnreachable):
		r.manifest.ElapsedNS = 0
		return nil, marked{err, ErrUnreachable}
	case errors.Is(err, engine.ErrNotBegun):
		r.manifest.ElapsedNS = 0
		return nil, err
	}
	if r.manifest.Start != nil {
		r.manifest.Start.LateNS = int64(result.Late)
	}
	if err != nil {
		r.warn("the run ended early: %v", err)
	}
	r.judgeGenerator(before, result)
	return r.finish(ctx, result, err)
}

// endNode lets the node finish what is in flight, unless that was given up.
func (r *run) endNode(ctx context.Context) {
	ctx, giveUp := r.unlessAborted(ctx)
	defer giveUp()
	_ = r.node.close(ctx)
}

// unlessAborted is ctx until Abort; the caller calls giveUp when it is done.
func (r *run) unlessAborted(ctx context.Context) (_ context.Context, giveUp context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-r.Abort:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// begin starts the bundled node, if the profile wants one, and returns where
// requests go.
func (r *run) begin(ctx context.Context) (origin string, err error) {
	b := r.Profile.Target.Bundled
	if b == nil {
		return r.Profile.Target.URL, nil
	}
	if r.NodeAt != "" {
		r.manifest.Target = "http://" + r.NodeAt
		return r.manifest.Target, nil
	}
	fmt.Fprintf(r.Notice, "starting the worker node (policy %s)\n", b.Policy.Name)
	if r.node, err = startNode(ctx, r.Profile, r.Node, ""); err != nil {
		return "", err
	}
	r.manifest.Versions["target"] = r.node.Version
	r.manifest.Target = r.node.origin()
	return r.node.origin(), nil
}

// prepare makes the transport and the engine.
func (r *run) prepare(ctx context.Context, origin string) error {
	requests, err := compile(r.Profile, r.schedule, origin, os.LookupEnv)
	if err != nil {
		return err
	}
	if r.way, err = prepareWay(ctx, requests, r.Profile); err != nil {
		return err
	}
	if err := r.lookAtTarget(ctx); err != nil {
		return err
	}
	c := engine.Config{
		Schedule: r.schedule, Open: r.way.open, Share: r.Share,
		MaxInFlight: r.Share.Part(r.Profile.MaxInFlight), Connections: max(1, r.Share.Part(warmed(r.Profile, r.schedule))),
		Drain: r.Profile.DrainTimeout, ColdThreshold: r.Profile.Cold.Threshold,
		Abort: r.Abort, Sink: r.files.samples, Interval: r.second, Started: r.started,
	}
	if r.Begin != nil {
		c.Begin = r.agree
	}
	r.engine, err = engine.New(paced(c, r.Profile, r.schedule))
	return err
}
