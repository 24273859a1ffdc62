package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// A KeepConfig says which node to keep for generators elsewhere.
type KeepConfig struct {
	Profile *profiles.Profile // with a bundled node
	Listen  string            // HOST:PORT, port 0 for a free one; "" for a free one of the loopback
	Out     string            // folder for the run directory
	Argv    []string
	Version string
	Node    string // program of the node, see Config

	Begin  Begin             // agrees on the start with the generators; it is called once the node is ready
	Ready  func(addr string) // hears where the node listens, before Begin; nil for none
	Notice io.Writer         // nil for none
}

// keepSlack is how long after the longest drain there may be a node is kept by
// itself: a generator that is behind sends and drains late.
const keepSlack = 5 * time.Second

// Keep starts the node of a profile, samples it while generators elsewhere play
// the schedule, and ends it when ctx does, or when no generator can still be at
// it. What it writes is a run directory without requests, of role target: the
// node's memory and CPU by this host's clock, its events and its own counters.
func Keep(ctx context.Context, c KeepConfig) (*Outcome, error) {
	if c.Profile.Target.Bundled == nil {
		return nil, marked{fmt.Errorf("profile %s: its target is a url: there is no bundled node to keep", c.Profile.Name), ErrUsage}
	}
	if c.Notice == nil {
		c.Notice = io.Discard
	}
	r := &run{Config: Config{
		Profile: c.Profile, Out: c.Out, Argv: c.Argv, Version: c.Version, Node: c.Node, Begin: c.Begin, Notice: c.Notice,
	}}
	if err := r.plan(ctx, r.sendNothing); err != nil {
		return nil, err
	}
	outcome, err := r.attend(ctx, c)
	if outcome == nil && r.manifest.ElapsedNS == 0 {
		err = errors.Join(err, r.draft.Discard())
	}
	return outcome, err
}

// sendNothing leaves every request to the generators.
func (r *run) sendNothing() error {
	r.manifest.Role, r.manifest.Planned = rundir.RoleTarget, 0
	for i := range r.manifest.Phases {
		r.manifest.Phases[i].Planned = 0
	}
	return nil
}

// attend keeps the node from its start to its end.
func (r *run) attend(ctx context.Context, c KeepConfig) (*Outcome, error) {
	m := r.manifest
	fmt.Fprintf(r.Notice, "starting the worker node (policy %s)\n", m.Mode)
	var err error
	if r.node, err = startNode(ctx, r.Profile, r.Node, c.Listen); err != nil {
		return nil, err
	}
	defer r.endNode(context.WithoutCancel(ctx))
	m.Versions["target"], m.Target = r.node.Version, r.node.origin()
	if c.Ready != nil {
		c.Ready(r.node.Addr)
	}
	zero, err := r.agree(ctx)
	if err != nil {
		return nil, err
	}
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	failed, fail := context.WithCancel(ctx)
	defer fail()
	r.watch.zero, r.watch.stop = make(chan time.Time, 1), fail
	r.started(zero)
	var wg sync.WaitGroup
	wg.Go(func() { r.sample(beside) })
	wg.Go(func() { r.poll(beside) })
	r.whileServing(failed, zero)
	m.ElapsedNS = int64(max(time.Since(zero), 1))
	stop()
	wg.Wait()
	return r.close(r.watch.err)
}

// whileServing returns when the generators are told to be done, cannot be at
// work any more, or have no node to work with.
func (r *run) whileServing(ctx context.Context, zero time.Time) {
	longest := r.schedule.Duration() + 2*max(r.Profile.DrainTimeout, time.Second) + keepSlack
	timer := time.NewTimer(time.Until(zero.Add(longest)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-r.node.Exited():
	}
}

// close writes down what was kept.
func (r *run) close(runErr error) (*Outcome, error) {
	m := r.manifest
	switch {
	case runErr != nil:
		m.Interruption = runErr.Error()
	case m.ElapsedNS < m.DurationNS:
		m.Interruption = "the node was ended before the schedule was over"
		m.StoppedNS = m.ElapsedNS
	}
	m.TargetLost, m.Node, m.EventsLost = r.node.lost(), r.watch.stats, r.node.client.lost
	return r.seal(rundir.NewAccounts(m, r.Profile.Cold.Threshold))
}
