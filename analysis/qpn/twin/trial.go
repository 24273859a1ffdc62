package twin

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"edgebench/profiles"
	"edgebench/profiles/arrival"
	"edgebench/target/dispatch"
	"edgebench/target/policy"
	"edgebench/target/pool"
)

// DefaultStart is the spawn-to-ready time of a fork worker with 100 MB of heap in
// small pages: the median of BenchmarkStart/fork in target/worker.
const DefaultStart = 2700 * time.Microsecond

// DefaultOverhead is by how much a worker's execution is longer than the service
// time: a sleep ends late by the kernel's timer slack of 50 µs and a wake-up. The
// median of 20 requests of 500 ms to a live node was 88 µs. So little decides where a
// pool is sized to the worker: 30/s times exactly 500 ms want 15 workers, times
// 500.09 ms 16.
const DefaultOverhead = 90 * time.Microsecond

// A Trial is one simulated run of a profile.
type Trial struct {
	Profile *profiles.Profile
	Start   time.Duration // spawn to ready; 0 = DefaultStart
	// Overhead is added to every service time; 0 = DefaultOverhead, 1 ns is as good as none.
	Overhead time.Duration
	// Phase is the instant of the first tick, in [0, tick). Negative: drawn from
	// the profile's seed, because a fixed phase decides how ticks and cycles alias.
	Phase time.Duration
	// Replicate above 0 draws service times and tick phase anew for the same
	// schedule: trial after trial of what one measured run was asked to do.
	Replicate int
}

// random is the trial's stream of a concern.
func (t Trial) random(concern string) *rand.Rand {
	if t.Replicate > 0 {
		concern = fmt.Sprintf("%s of replicate %d", concern, t.Replicate)
	}
	return rand.New(arrival.Random(t.Profile.Seed, concern))
}

// ErrNotBundled is about a profile whose target is not a node of ours.
var ErrNotBundled = errors.New("the twin simulates the bundled node: the profile's target is a URL")

// maxOneOffs is the node's default.
const maxOneOffs = 64

// World builds the trial's node.
func (t Trial) World() (*World, error) {
	b := t.Profile.Target.Bundled
	if b == nil {
		return nil, ErrNotBundled
	}
	pol, err := policy.New(b.Policy.Name, b.Policy.Params, b.Workers)
	if err != nil {
		return nil, err
	}
	spec := policy.Lookup(b.Policy.Name)
	rule, err := dispatch.New(cmp.Or(b.Dispatch, spec.Dispatch), t.Profile.Seed)
	if err != nil {
		return nil, err
	}
	miss, err := pool.ParseMiss(b.Miss.Kind)
	if err != nil {
		return nil, err
	}
	cfg := pool.Config{
		MaxWorkers: b.MaxWorkers, Miss: miss, MissWait: b.Miss.After, MaxOneOffs: maxOneOffs,
		IdleTimeout: b.IdleTimeout, Scavenge: b.Scavenge, Tick: b.Tick, TickPhase: t.TickPhase(),
		ServiceTime: b.Service.Mean, StartDelay: b.StartDelay, QueueLimit: b.QueueLimit,
		Tokens: b.Tokens, Servers: b.Servers,
	}
	p, err := pool.New(cfg.For(spec), pol, rule)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", t.Profile.Name, err)
	}
	schedule, err := t.Profile.Schedule()
	if err != nil {
		return nil, err
	}
	var asked []time.Duration
	for _, f := range t.Profile.Asked(schedule) {
		asked = append(asked, f.Service)
	}
	start, overhead := cmp.Or(t.Start, DefaultStart), cmp.Or(t.Overhead, DefaultOverhead)
	return &World{
		Pool: p, Asked: asked, Start: start, Overhead: overhead, Timeout: t.Profile.Request.Timeout,
		Service: Service{Mean: b.Service.Mean, Exponential: b.Service.Law == "exponential"},
		Random:  t.random("service"),
	}, nil
}

// TickPhase is the instant of the node's first tick.
func (t Trial) TickPhase() time.Duration {
	b := t.Profile.Target.Bundled
	switch {
	case t.Phase >= 0:
		return t.Phase % b.Tick
	case b.TickPhase != nil:
		return *b.TickPhase
	}
	return time.Duration(t.random("tick phase").Int64N(int64(b.Tick)))
}

// Warnings say what of the profile the twin leaves out.
func (t Trial) Warnings() []string {
	if b := t.Profile.Target.Bundled; b != nil && b.Work != "sleep" {
		return []string{fmt.Sprintf("work %s is simulated as sleep: each worker takes its service time, however many there are for the processors", b.Work)}
	}
	return nil
}
