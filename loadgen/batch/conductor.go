package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// A Conductor makes one trial with several workers: it prepares them, sets their
// clocks against its own, names a start, and puts together what they made. All
// of them come to a result or none of it counts.
type Conductor struct {
	Store   *Store
	Batch   *profiles.Batch
	Version string
	Timing  Timing
	Program Program
	Notice  io.Writer
}

// A group is who makes one trial.
type group struct {
	*Conductor
	id         string
	host       string // whose clock the others are set against
	generators []string
	target     string // "" for none
}

const (
	// startAhead is between the last preparation and the start: time for every
	// member to hear of it.
	startAhead = 300 * time.Millisecond
	// lookEvery is how often members are asked outside of the measured window;
	// within it, a heartbeat is.
	lookEvery = 50 * time.Millisecond
	// lookTimeout bounds the wait for one answer.
	lookTimeout = 2 * time.Second
)

// Run implements Runner.
func (c *Conductor) Run(ctx context.Context, profile, dir string, seed uint64) (run string, verdict analysis.Verdict, err error) {
	text, err := os.ReadFile(profile)
	if err != nil {
		return "", "", err
	}
	p, err := profiles.Load(profile)
	if err != nil {
		return "", "", err
	}
	schedule, err := p.Schedule()
	if err != nil {
		return "", "", err
	}
	g := &group{Conductor: c, id: nuid.Next()}
	if g.host, err = os.Hostname(); err != nil {
		return "", "", err
	}
	if err := g.recruit(ctx, p.Target.Bundled != nil); err != nil {
		return "", "", err
	}
	defer g.dismiss(context.WithoutCancel(ctx))
	if err := g.prepare(ctx, order{Do: doPrepare, Session: g.id, Profile: text, Seed: seed, Lease: c.Timing.Lease}); err != nil {
		return "", "", err
	}
	if err := g.start(ctx); err != nil {
		return "", "", err
	}
	if err := g.await(ctx, g.generators, done, schedule.Duration()); err != nil {
		return "", "", err
	}
	if g.target != "" {
		if _, err := g.tell(ctx, g.target, order{Do: doFinish, Session: g.id}); err != nil {
			return "", "", err
		}
		if err := g.await(ctx, []string{g.target}, done, 0); err != nil {
			return "", "", err
		}
	}
	return g.collect(ctx, dir)
}

// recruit waits until there are enough free workers of each role.
func (g *group) recruit(ctx context.Context, bundled bool) error {
	for told := ""; ; {
		present, err := g.Store.roll(ctx)
		if err != nil {
			return err
		}
		missing := g.choose(present, bundled)
		if missing == "" {
			return nil
		}
		if missing != told {
			fmt.Fprintf(g.Notice, "waiting for %s\n", missing)
			told = missing
		}
		if pause(ctx, lookEvery); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// choose takes the first free workers by name, and says who is missing. One that
// is at an earlier session is free: there is one conductor, and that is us.
func (g *group) choose(present []stage, bundled bool) (missing string) {
	generators, target := []string{}, ""
	for _, m := range present {
		switch {
		case m.Version != g.Version:
		case m.Role == RoleGenerator && len(generators) < g.Batch.Generators && !slices.Contains(generators, m.Member):
			generators = append(generators, m.Member)
		case m.Role == RoleTarget && bundled && target == "" && (g.Batch.Target == "" || g.Batch.Target == m.Member):
			target = m.Member
		}
	}
	g.generators, g.target = generators, target
	var lacks []string
	if n := g.Batch.Generators - len(generators); n > 0 {
		lacks = append(lacks, fmt.Sprintf("%d of %d generators (loadgen worker --role generator)", n, g.Batch.Generators))
	}
	if bundled && target == "" {
		lacks = append(lacks, strings.TrimSpace("the target "+g.Batch.Target)+" (loadgen worker --role target)")
	}
	return strings.Join(lacks, " and ")
}

func (g *group) members() []string {
	if g.target == "" {
		return g.generators
	}
	return append(slices.Clone(g.generators), g.target)
}

// tell sends an order; a member that does not answer for a lease is lost.
func (g *group) tell(ctx context.Context, member string, o order) (stage, error) {
	for given := time.Now().Add(g.Timing.Lease); ; {
		once, cancel := context.WithTimeout(ctx, lookTimeout)
		a, err := g.Store.order(once, member, o)
		cancel()
		gone := err != nil && !errors.Is(err, context.DeadlineExceeded)
		switch {
		case ctx.Err() != nil:
			return a, ctx.Err()
		case gone, err != nil && time.Now().After(given):
			return a, err
		case err == nil && a.Session != g.id:
			return a, fmt.Errorf("%s: it is at another trial, or began its life anew", member)
		case err == nil && a.Stage == failed:
			return a, fmt.Errorf("%s: %s", member, a.Error)
		case err == nil:
			return a, nil
		}
	}
}

// prepare brings everybody to where only the start is missing, the target first:
// generators connect to its node.
func (g *group) prepare(ctx context.Context, o order) error {
	if g.target != "" {
		if _, err := g.tell(ctx, g.target, o); err != nil {
			return err
		}
		if err := g.await(ctx, []string{g.target}, ready, 0); err != nil {
			return err
		}
		a, err := g.tell(ctx, g.target, order{Do: doLook, Session: g.id})
		if err != nil {
			return err
		}
		o.Node = a.Addr
	}
	for i, member := range g.generators {
		o.Share = arrival.Share{Index: i + 1, Of: len(g.generators)}
		if _, err := g.tell(ctx, member, o); err != nil {
			return err
		}
	}
	return g.await(ctx, g.generators, ready, 0)
}

// start sets the clocks against ours, names an instant and tells it to everybody
// at once, each by its own clock.
func (g *group) start(ctx context.Context) error {
	look := order{Do: doLook, Session: g.id}
	starts := map[string]*startLine{}
	for _, member := range g.members() {
		off, uncertainty, err := g.Store.compareClocks(ctx, member, look)
		if err != nil {
			return err
		}
		starts[member] = &startLine{Start: rundir.Start{
			Host: member, ClockOffsetNS: new(int64(off)), ClockUncertaintyNS: new(int64(uncertainty)), Reference: g.host,
		}}
	}
	at := time.Now().Add(startAhead).UnixNano()
	return g.everybody(g.members(), func(member string) error {
		line := starts[member]
		line.StartUnixNS = at + *line.ClockOffsetNS
		_, err := g.tell(ctx, member, order{Do: doStart, Session: g.id, Start: line})
		return err
	})
}

// everybody does something for each member at the same time.
func (g *group) everybody(members []string, do func(string) error) error {
	errs := make([]error, len(members))
	var wg sync.WaitGroup
	for i, member := range members {
		wg.Go(func() { errs[i] = do(member) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// await looks until members have come to a stage. For as long as quiet only
// heartbeats disturb them. Everybody is looked at all the while: one that is
// lost ends the trial.
func (g *group) await(ctx context.Context, members []string, want string, quiet time.Duration) error {
	until := time.Now().Add(quiet)
	for {
		there := 0
		for _, member := range g.members() {
			a, err := g.tell(ctx, member, order{Do: doLook, Session: g.id})
			waits := slices.Contains(members, member)
			switch {
			case err != nil && (waits || a.Session == g.id):
				return err
			case err == nil && waits && (a.Stage == want || a.Stage == done):
				there++
			}
		}
		if there == len(members) {
			return nil
		}
		every := lookEvery
		if left := time.Until(until); left > 0 {
			every = min(left, g.Timing.Beat)
		}
		if pause(ctx, every); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// dismiss ends what members are at.
func (g *group) dismiss(ctx context.Context) {
	_ = g.everybody(g.members(), func(member string) error {
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		defer cancel()
		_, err := g.Store.order(ctx, member, order{Do: doEnd, Session: g.id}) // one that does not hear it ends by its lease
		return err
	})
}

// collect fetches what everybody made and puts it together.
func (g *group) collect(ctx context.Context, dir string) (string, analysis.Verdict, error) {
	objects, err := g.Store.js.ObjectStore(ctx, g.Store.bucket(objectBucket))
	if err != nil {
		return "", "", fmt.Errorf("batch results: %w", err)
	}
	var parts []string
	for _, member := range g.members() {
		a, err := g.tell(ctx, member, order{Do: doLook, Session: g.id})
		if err != nil {
			return "", "", err
		}
		part := filepath.Join(dir, "parts", member)
		if err := fetch(ctx, objects, a, part); err != nil {
			return "", "", err
		}
		parts = append(parts, part)
	}
	runs := filepath.Join(dir, "whole")
	if len(parts) == 1 { // it is the whole
		if err := os.MkdirAll(runs, 0o777); err != nil {
			return "", "", err
		}
		if err := os.Rename(parts[0], filepath.Join(runs, "run")); err != nil {
			return "", "", err
		}
	} else if err := g.Program.quietly(ctx, append([]string{"merge", "--out", runs}, parts...)...); err != nil {
		return "", "", err
	}
	return sealedIn(runs)
}

// fetch unpacks an object, checks its sum, and removes it from the store.
func fetch(ctx context.Context, objects jetstream.ObjectStore, a stage, dir string) error {
	object, err := objects.Get(ctx, a.Object)
	if err != nil {
		return fmt.Errorf("result %s: %w", a.Object, err)
	}
	defer object.Close()
	_, sum, err := unpackSummed(object, dir)
	if err == nil && sum != a.SHA256 {
		err = fmt.Errorf("it has sha256 %.12s, %s says %.12s", sum, a.Member, a.SHA256)
	}
	if err != nil {
		return fmt.Errorf("result %s: %w", a.Object, err)
	}
	return objects.Delete(ctx, a.Object)
}
