package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
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
	// Drain, when it is closed, lets the trials in progress end and begins no other.
	Drain <-chan struct{}

	store   *Store
	ledger  *Ledger
	queue   *Queue
	objects jetstream.ObjectStore
	terms   Terms
	epoch   string // names the terms as they were offered
	entries map[string]Entry
	seen    map[string]sighting // of claims: since when a record is as it is
	ticked  time.Time
	quiet   time.Time // since when the queue was seen empty while trials are planned

	phase  Phase
	roster *roster
	pace   pace
	hellos chan *nats.Msg
	asks   chan *nats.Msg
}

// Open brings ledger, queue and results into agreement: a committed result is
// done, a record without its result is planned again, and the queue is made anew
// from planned minus done.
func (c *Coordinator) Open(ctx context.Context, s *Store) (err error) {
	c.store, c.entries, c.seen = s, map[string]Entry{}, map[string]sighting{}
	c.phase, c.epoch = Open, nuid.Next()
	c.terms = Terms{
		Name: c.Plan.Name, Version: c.Plan.Version, Trials: c.Plan.Trials,
		Cooldown: c.Plan.Batch.Cooldown, Retries: c.Plan.Batch.Retries, Deadline: c.Deadline, Timing: c.Timing,
	}
	if c.terms.Timing == (Timing{}) {
		c.terms.Timing = DefaultTiming
	}
	c.roster = newRoster(c.terms.Lease)
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
	if c.queue, err = s.RebuildQueue(ctx, planned, c.terms.Beat); err != nil {
		return err
	}
	return c.listen()
}

// listen begins to take what workers say; Run answers.
func (c *Coordinator) listen() error {
	c.hellos, c.asks = make(chan *nats.Msg, 64), make(chan *nats.Msg, 8)
	for subject, to := range map[string]chan *nats.Msg{helloSubject: c.hellos, askSubject: c.asks} {
		if _, err := c.store.conn.ChanSubscribe(c.store.subject(subject), to); err != nil {
			return fmt.Errorf("batch: %w", err)
		}
	}
	return c.store.conn.Flush()
}

// offer puts what workers need into the store: terms, profiles, a place for results.
func (c *Coordinator) offer(ctx context.Context) (err error) {
	s := c.store
	if c.objects, err = s.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: s.bucket(objectBucket), Storage: jetstream.FileStorage}); err != nil {
		return fmt.Errorf("batch results: %w", err)
	}
	texts, err := s.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: s.bucket(profileBucket), Storage: jetstream.FileStorage})
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
			c.turn(Cancelled)
		case <-drain:
			drain = nil
			c.turn(Draining)
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
func (c *Coordinator) turn(to Phase) {
	if c.phase == Open || c.phase == Draining {
		c.phase = to
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
	refused, joined, isolated := c.roster.hear(p, time.Now())
	order.Refused, order.Quarantine = refused, c.roster.quarantine[p.Node]
	if joined && refused == "" {
		if err := c.reborn(ctx, p); err != nil {
			return err
		}
	}
	if isolated {
		fmt.Fprintf(c.Notice, "node %s is in quarantine: %s\n", p.Node, order.Quarantine)
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
	if !c.Alone {
		fmt.Fprintf(c.Notice, "worker %s joined from %s, for node %s\n", p.Worker, p.Host, p.Node)
	}
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
	c.pace.note(t, before, e, time.Now())
	return nil
}

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
		fmt.Fprintf(c.Notice, "worker %s was not heard of for %v\n", m.Worker, c.terms.Lease)
	}
	return errors.Join(c.expire(ctx, now), c.refill(ctx, now))
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
	fmt.Fprintf(c.Notice, "trial %s: %s, another one gets it\n", id, why)
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
