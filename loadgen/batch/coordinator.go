package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Coordinator owns a batch: it hands out what is to be done, takes back what a
// lost worker held, and commits results. One runs at a time (Folder.Lock).
type Coordinator struct {
	Plan     *Plan
	Deadline time.Time // no trial may still run then; zero for none
	Results  Results
	Notice   io.Writer
	Progress func(Status) // after every change; nil for none
	// Alone says that every worker lives in this process: claims of earlier ones
	// are dead, and need not run out.
	Alone  bool
	Timing Timing // of every worker's leases; zero for the default

	store   *Store
	ledger  *Ledger
	queue   *Queue
	objects jetstream.ObjectStore
	terms   Terms
	entries map[string]Entry
	quiet   time.Time // since when the queue was seen empty while trials are planned
}

const termsKey = "terms"

// Open brings ledger, queue and results into agreement: a committed result is
// done, a record without its result is planned again, and the queue is made anew
// from planned minus done.
func (c *Coordinator) Open(ctx context.Context, s *Store) (err error) {
	c.store, c.entries = s, map[string]Entry{}
	c.terms = Terms{
		Name: c.Plan.Name, Version: c.Plan.Version, Trials: c.Plan.Trials,
		Cooldown: c.Plan.Batch.Cooldown, Retries: c.Plan.Batch.Retries, Deadline: c.Deadline, Timing: c.Timing,
	}
	if c.terms.Timing == (Timing{}) {
		c.terms.Timing = DefaultTiming
	}
	if c.ledger, err = s.OpenLedger(ctx); err != nil {
		return err
	}
	if err := c.offer(ctx); err != nil {
		return err
	}
	if err := c.Results.Clean(); err != nil {
		return err
	}
	var planned []string
	for _, t := range c.Plan.Trials {
		e, err := c.reconcile(ctx, t)
		if err != nil {
			return err
		}
		c.entries[t.ID] = e
		if e.State == Planned {
			planned = append(planned, t.ID)
		}
	}
	c.queue, err = s.RebuildQueue(ctx, planned, c.terms.Beat)
	return err
}

// offer puts what workers need into the store: terms, profiles, a place for results.
func (c *Coordinator) offer(ctx context.Context) (err error) {
	js := c.store.js
	if c.objects, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: objectBucket, Storage: jetstream.FileStorage}); err != nil {
		return fmt.Errorf("batch results: %w", err)
	}
	texts, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: profileBucket, Storage: jetstream.FileStorage})
	if err != nil {
		return fmt.Errorf("batch profiles: %w", err)
	}
	for hash, p := range c.Plan.Profiles {
		if _, err := texts.PutBytes(ctx, hash, p.YAML()); err != nil {
			return fmt.Errorf("batch profile %s: %w", p.Name, err)
		}
	}
	data, err := json.Marshal(c.terms)
	if err != nil {
		return err
	}
	_, err = texts.PutBytes(ctx, termsKey, data)
	return err
}

func (s *Store) readTerms(ctx context.Context) (Terms, error) {
	var t Terms
	texts, err := s.js.ObjectStore(ctx, profileBucket)
	if err != nil {
		return t, fmt.Errorf("no batch in the store: %w", err)
	}
	data, err := texts.GetBytes(ctx, termsKey)
	if err != nil {
		return t, fmt.Errorf("no batch in the store: %w", err)
	}
	return t, json.Unmarshal(data, &t)
}

// reconcile settles one trial after whatever happened before.
func (c *Coordinator) reconcile(ctx context.Context, t Trial) (Entry, error) {
	e, err := c.ledger.Read(ctx, t.ID)
	if err != nil {
		return e, err
	}
	result, readErr := c.Results.Read(t.ID)
	whole := readErr == nil
	switch {
	case whole && e.State == Done && e.SHA256 == result.SHA256:
		return e, nil
	case whole:
		// The store was lost after the commit: the result is the truth.
		r := Record{State: Done, Attempt: result.Attempt, Worker: result.Worker, Object: result.Object, SHA256: result.SHA256, Verdict: result.Verdict, Errors: result.Errors}
		return e, c.ledger.Restore(ctx, &e, r)
	case e.State == Done:
		if err := c.commit(ctx, t, e); err == nil {
			return e, nil
		}
		// Neither a whole result nor its object: the work is lost, and done again.
		fmt.Fprintf(c.Notice, "trial %s: its result is lost, it is made again\n", t.ID)
		r := e.Record
		r.State, r.Attempt, r.Object, r.SHA256, r.Verdict = Planned, 0, "", "", ""
		return e, c.ledger.Restore(ctx, &e, r)
	case e.State == Claimed && c.Alone:
		return e, c.ledger.TakeBack(ctx, &e, "the worker ended")
	}
	return e, nil
}

// commit turns a result in the store into one on disk.
func (c *Coordinator) commit(ctx context.Context, t Trial, e Entry) error {
	object, err := c.objects.Get(ctx, e.Object)
	if err != nil {
		return fmt.Errorf("result %s: %w", e.Object, err)
	}
	defer object.Close()
	err = c.Results.Commit(Result{
		Trial: t, Attempt: e.Attempt, Worker: e.Worker, Version: c.Plan.Version,
		Verdict: e.Verdict, Errors: append([]string{}, e.Errors...), Object: e.Object, SHA256: e.SHA256,
	}, object)
	if err != nil {
		return err
	}
	if err := c.objects.Delete(ctx, e.Object); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("result %s: %w", e.Object, err)
	}
	return nil
}

// Run commits results and takes back what was lost, until every trial is over,
// none that is left can end before the deadline, or ctx ends.
func (c *Coordinator) Run(ctx context.Context) (Status, error) {
	watch, err := c.ledger.kv.WatchAll(ctx)
	if err != nil {
		return c.Status(), fmt.Errorf("batch ledger: %w", err)
	}
	defer watch.Stop()                       //nolint:errcheck // ends with the connection anyway
	tick := time.NewTicker(c.terms.Beat / 5) // leases, and the clock
	defer tick.Stop()
	for {
		if c.over(time.Now()) {
			return c.Status(), nil
		}
		select {
		case <-ctx.Done():
			return c.last(context.WithoutCancel(ctx))
		case update, ok := <-watch.Updates():
			if !ok && ctx.Err() != nil {
				return c.last(context.WithoutCancel(ctx))
			}
			if !ok {
				return c.Status(), errors.New("batch ledger: the store is gone")
			}
			if update == nil {
				continue // all that was there before
			}
			// A commit that has begun comes to its end.
			if err := c.heard(context.WithoutCancel(ctx), update.Key()); err != nil {
				return c.Status(), err
			}
		case <-tick.C:
			if err := errors.Join(c.takeBack(ctx), c.refill(ctx, time.Now())); err != nil {
				return c.Status(), err
			}
		}
		if c.Progress != nil {
			c.Progress(c.Status())
		}
	}
}

// last commits what workers handed over before the end.
func (c *Coordinator) last(ctx context.Context) (Status, error) {
	var faults []error
	for _, t := range c.Plan.Trials {
		faults = append(faults, c.heard(ctx, t.ID))
	}
	return c.Status(), errors.Join(faults...)
}

// heard takes up a change of a record.
func (c *Coordinator) heard(ctx context.Context, id string) error {
	t, ok := c.terms.trial(id)
	if !ok {
		return nil
	}
	e, err := c.ledger.Read(ctx, id)
	if err != nil {
		return err
	}
	before := c.entries[id]
	if e.State == Done && (before.State != Done || before.SHA256 != e.SHA256) {
		if err := c.commit(ctx, t, e); err != nil {
			return err
		}
	}
	c.entries[id] = e
	return nil
}

// takeBack ends claims whose lease ran out, and hands their trials out again.
func (c *Coordinator) takeBack(ctx context.Context) error {
	for id, e := range c.entries {
		if e.State != Claimed || time.Since(e.written) < c.terms.Lease {
			continue
		}
		e, err := c.ledger.Read(ctx, id)
		if err != nil {
			return err
		}
		if e.State != Claimed || time.Since(e.written) < c.terms.Lease {
			continue
		}
		fmt.Fprintf(c.Notice, "trial %s: worker %s was not heard of for %v, another one gets it\n", id, e.Worker, c.terms.Lease)
		err = c.ledger.TakeBack(ctx, &e, "not heard of for "+c.terms.Lease.String())
		if errors.Is(err, ErrFenced) {
			continue // it was heard of after all
		}
		if err != nil {
			return err
		}
		c.entries[id] = e
		if e.State == Planned {
			if err := c.queue.Add(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// refill hands planned trials out again that are in no queue: a worker may die
// between taking one and claiming it.
func (c *Coordinator) refill(ctx context.Context, now time.Time) error {
	empty, err := c.queue.Empty(ctx)
	if err != nil {
		return err
	}
	if !empty {
		c.quiet = time.Time{}
		return nil
	}
	if c.quiet.IsZero() {
		c.quiet = now
	}
	if now.Sub(c.quiet) < c.terms.Lease {
		return nil
	}
	c.quiet = time.Time{}
	for _, t := range c.Plan.Trials {
		e, err := c.ledger.Read(ctx, t.ID)
		if err != nil {
			return err
		}
		if c.entries[t.ID] = e; e.State == Planned && c.terms.fits(t, now) {
			if err := c.queue.Add(ctx, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// over reports whether nothing more can come: all trials are over, or those that
// are planned do not fit before the deadline and none is running.
func (c *Coordinator) over(now time.Time) bool {
	for _, t := range c.Plan.Trials {
		switch e := c.entries[t.ID]; {
		case e.State.over():
		case e.State == Planned && !c.terms.fits(t, now):
		default:
			return false
		}
	}
	return true
}
