package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// reconcile settles one trial after whatever happened before.
func (c *Coordinator) reconcile(ctx context.Context, t Trial) (Entry, error) {
	e, err := c.ledger.Read(ctx, t.ID)
	if err != nil {
		return e, err
	}
	result, readErr := c.Folder.Results().Read(t.ID)
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
		c.tell(Event{Kind: EventRemade, Trial: t.ID, Text: fmt.Sprintf("trial %s: its result is lost, it is made again", t.ID)})
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
	err = c.Folder.Results().Commit(Result{
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
		if c.mirror != nil {
			c.mirror.add(id)
		}
	}
	if known := len(before.Errors); known < len(e.Errors) {
		for _, text := range e.Errors[known:] {
			c.tell(Event{Kind: EventAttempt, Trial: id, Worker: e.Worker, Text: fmt.Sprintf("trial %s: %s", id, text)})
		}
	}
	c.entries[id] = e
	c.pace.note(t, before, e, time.Now())
	return nil
}
