package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// goodbye is how long the end of a batch waits for workers to hear of it.
const goodbye = 3 * time.Second

// Run answers workers, commits results and takes back what was lost, until every
// trial is over, none that is left can end before the deadline, or the batch is
// drained or cancelled; the end of ctx cancels it.
func (c *Coordinator) Run(ctx context.Context) (Status, error) {
	done, drain := ctx.Done(), c.Drain
	ctx = context.WithoutCancel(ctx) // a commit that has begun comes to its end
	watch, err := c.ledger.kv.WatchAll(ctx)
	if err != nil {
		return c.Status(), fmt.Errorf("batch ledger: %w", err)
	}
	defer watch.Stop()                       //nolint:errcheck // ends with the connection anyway
	tick := time.NewTicker(c.terms.Beat / 5) // leases, and the clock
	defer tick.Stop()
	var leave time.Time // when those who have not heard of the end are left
	for {
		if now := time.Now(); c.ended(now) {
			if leave.IsZero() {
				leave = now.Add(c.terms.Beat + goodbye)
			}
			if c.Alone || len(c.roster.members) == 0 || now.After(leave) {
				return c.last(ctx)
			}
		}
		select {
		case <-done:
			done = nil
			c.turn(Cancelled, "the batch was cancelled")
		case <-drain:
			drain = nil
			c.turn(Draining, "no more trials begin")
		case m := <-c.hellos:
			err = c.answer(ctx, m)
		case m := <-c.asks:
			err = c.serve(m)
		case update, ok := <-watch.Updates():
			if !ok {
				return c.Status(), errors.New("batch ledger: the store is gone")
			}
			if update != nil { // nil: all that was there before
				err = c.heard(ctx, update.Key())
			}
		case <-tick.C:
			err = c.tick(ctx, time.Now())
		}
		if err != nil {
			return c.Status(), err
		}
		if c.Progress != nil {
			c.Progress(c.Status())
		}
	}
}

// turn changes what the batch is up to; it never opens again.
func (c *Coordinator) turn(to Phase, why string) {
	if c.phase != to && (c.phase == Open || c.phase == Draining) {
		c.phase = to
		c.tell(Event{Kind: EventPhase, Text: why})
	}
}

// ended reports whether nothing more can come.
func (c *Coordinator) ended(now time.Time) bool {
	running := false
	for _, e := range c.entries {
		running = running || e.State == Claimed
	}
	switch {
	case c.phase == Open && c.over(now):
		c.phase = Over
		c.tell(Event{Kind: EventOver, Text: "nothing is left to be done"})
		return true
	case c.phase == Draining:
		return !running
	}
	return c.phase != Open
}

// answer takes up what a worker says and tells it what the batch is up to.
func (c *Coordinator) answer(ctx context.Context, m *nats.Msg) error {
	var p Presence
	if err := json.Unmarshal(m.Data, &p); err != nil || p.Worker == "" {
		fmt.Fprintf(c.Notice, "a greeting that is none: %.80q\n", m.Data)
		return nil
	}
	order := Order{Phase: c.phase, Terms: c.epoch}
	if p.Version != c.Plan.Version {
		order.Refused = fmt.Sprintf("the batch is of version %s, worker %s of %s: results would not be comparable", c.Plan.Version, p.Worker, p.Version)
		return c.reply(m, order)
	}
	if order.Refused = misplaced(c.Plan.Batch, p.Role); order.Refused != "" {
		return c.reply(m, order)
	}
	refused, joined, isolated := c.roster.hear(p, time.Now())
	order.Refused, order.Quarantine = refused, c.roster.quarantine[p.Node]
	if joined && refused == "" {
		if err := c.reborn(ctx, p); err != nil {
			return err
		}
	}
	for _, text := range p.Cleared {
		c.tell(Event{Kind: EventCleared, Worker: p.Worker, Node: p.Node, Text: fmt.Sprintf("node %s: process %s was left behind by a run, and ended", p.Node, text)})
	}
	if isolated {
		c.tell(Event{Kind: EventQuarantine, Node: p.Node, Worker: p.Worker, Reason: order.Quarantine, Text: c.isolation(p.Node, order.Quarantine)})
	}
	if p.Doing == Handing {
		if err := c.heard(ctx, p.Trial); err != nil { // it waits for the commit
			return err
		}
	}
	if c.phase != Open && p.Trial == "" {
		delete(c.roster.members, p.Worker) // it has heard of the end
	}
	return c.reply(m, order)
}

// isolation tells of a node's quarantine, and what it means for the batch.
func (c *Coordinator) isolation(node, why string) string {
	then := "the others go on"
	if c.roster.able() == 0 {
		then = "no worker is left that may take trials"
	}
	return fmt.Sprintf("node %s is in quarantine: %s; %s (loadgen batch lift %s %s ends it)", node, why, then, c.Folder.Path(), node)
}

func (c *Coordinator) reply(m *nats.Msg, what any) error {
	if m.Reply == "" {
		return nil
	}
	data, err := json.Marshal(what)
	if err == nil {
		err = m.Respond(data)
	}
	if err != nil {
		return fmt.Errorf("batch: answer: %w", err)
	}
	return nil
}

// reborn takes back at once what an earlier life of the worker held.
func (c *Coordinator) reborn(ctx context.Context, p Presence) error {
	c.tell(Event{Kind: EventJoined, Worker: p.Worker, Node: p.Node, Text: fmt.Sprintf("worker %s joined from %s, for node %s", p.Worker, p.Host, p.Node)})
	for id, e := range c.entries {
		if e.State != Claimed || e.Worker != p.Worker {
			continue
		}
		if err := c.heard(ctx, id); err != nil {
			return err
		}
		if e = c.entries[id]; e.State == Claimed && e.Worker == p.Worker && e.Instance != p.Instance {
			if err := c.takeBack(ctx, id, "worker "+p.Worker+" was started again"); err != nil {
				return err
			}
		}
	}
	return nil
}

// last commits what workers handed over before the end.
func (c *Coordinator) last(ctx context.Context) (Status, error) {
	var faults []error
	for _, t := range c.Plan.Trials {
		faults = append(faults, c.heard(ctx, t.ID))
	}
	return c.Status(), errors.Join(faults...)
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
