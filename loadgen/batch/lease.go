package batch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// tick looks after what nobody tells: workers and claims that fell silent.
func (c *Coordinator) tick(ctx context.Context, now time.Time) error {
	if now.Sub(c.ticked) > c.terms.Lease/2 {
		// This process was stopped or starved itself, and the store with it: what
		// it has not heard meanwhile says nothing.
		clear(c.seen)
		for _, m := range c.roster.members {
			m.Heard = now
		}
	}
	c.ticked = now
	for _, m := range c.roster.lost(now) {
		c.tell(Event{Kind: EventSilent, Worker: m.Worker, Node: m.Node, Text: fmt.Sprintf("worker %s was not heard of for %v", m.Worker, c.terms.Lease)})
	}
	return errors.Join(c.requests(), c.room(), c.expire(ctx, now), c.refill(ctx, now))
}

// requests follows what was left in the folder.
func (c *Coordinator) requests() error {
	requests, err := c.Folder.asked()
	for _, r := range requests {
		if err := c.do(r); err != nil {
			fmt.Fprintf(c.Notice, "%v\n", err)
		}
	}
	return err
}

// room begins no more trials when the disk is nearly full: results on their way
// still fit.
func (c *Coordinator) room() error {
	if c.phase != Open {
		return nil
	}
	err := checkFree(c.Folder.dir, c.MinFree)
	if errors.Is(err, errNoRoom) {
		c.turn(Draining, err.Error()+": no more trials begin; make room, then resume")
		return nil
	}
	return err
}

// expire takes back claims whose lease ran out.
func (c *Coordinator) expire(ctx context.Context, now time.Time) error {
	for id, e := range c.entries {
		if e.State != Claimed {
			continue
		}
		if s := c.seen[id]; s.revision != e.revision {
			c.seen[id] = sighting{e.revision, now}
			continue
		} else if now.Sub(s.since) < c.terms.Lease {
			continue
		}
		if err := c.heard(ctx, id); err != nil {
			return err
		}
		if c.entries[id].revision != e.revision {
			continue
		}
		if err := c.takeBack(ctx, id, fmt.Sprintf("worker %s was not heard of for %v", e.Worker, c.terms.Lease)); err != nil {
			return err
		}
	}
	return nil
}

// takeBack ends a claim and hands its trial out again.
func (c *Coordinator) takeBack(ctx context.Context, id, why string) error {
	e := c.entries[id]
	err := c.ledger.TakeBack(ctx, &e, why)
	if errors.Is(err, ErrFenced) {
		return nil // it was heard of after all
	}
	if err != nil {
		return err
	}
	c.tell(Event{Kind: EventAttempt, Trial: id, Worker: e.Worker, Text: fmt.Sprintf("trial %s: %s; it is handed out again", id, why)})
	c.entries[id] = e
	if e.State != Planned {
		return nil
	}
	return c.queue.Add(ctx, id)
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
		if err := c.heard(ctx, t.ID); err != nil {
			return err
		}
		if c.entries[t.ID].State == Planned && c.terms.fits(t, now) {
			if err := c.queue.Add(ctx, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
