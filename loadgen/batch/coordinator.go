package batch

import (
	"context"
	"encoding/json"
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
	Folder   Folder
	Notice   io.Writer
	Progress func(Status) // after every change; nil for none
	// Alone says that every worker lives in this process: claims of earlier ones
	// are dead, and need not run out.
	Alone  bool
	Timing Timing // of every worker's leases; zero for the default
	// Drain, when it is closed, lets the trials in progress end and begins no other.
	Drain   <-chan struct{}
	MinFree int64  // bytes free on the disk, below which no trial begins; 0 for the default
	Mirror  string // folder that results are copied to; "" for none

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
	mirror *mirror
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
	if c.MinFree == 0 {
		c.MinFree = DefaultMinFree
	}
	events, err := c.Folder.Events()
	if err != nil {
		return err
	}
	c.roster = newRoster(c.terms.Lease)
	c.roster.sole = c.Alone || c.Plan.Batch.Generators > 0 // one worker, or one conductor
	if !c.roster.sole {
		c.roster.quarantine = Quarantined(events)
	}
	c.tell(Event{Kind: EventBegan, Text: "a coordinator began"})
	// A request to end was meant for the coordinator before.
	left, err := c.Folder.asked()
	if err != nil {
		return err
	}
	for _, r := range left {
		if r.Do == AskLift {
			if c.roster.lift(r.Node) == nil {
				c.tell(lifted(r.Node))
			}
		}
	}
	if c.Mirror != "" {
		if c.mirror, err = openMirror(c.Folder, NewFolder(c.Mirror), c.mirrorFault); err != nil {
			return err
		}
	}
	if c.ledger, err = s.OpenLedger(ctx); err != nil {
		return err
	}
	if err := c.offer(ctx); err != nil {
		return err
	}
	if err := c.Folder.Results().Clean(); err != nil {
		return err
	}
	var planned []string
	again := 0
	for _, t := range c.Plan.Trials {
		e, err := c.reconcile(ctx, t)
		if err == nil && e.State == Failed {
			// Whoever begins anew has seen to what made it fail.
			again++
			err = c.ledger.Renounce(ctx, &e)
		}
		if err != nil {
			return err
		}
		c.entries[t.ID] = e
		if c.mirror != nil && e.State == Done {
			c.mirror.add(t.ID)
		}
		if e.State == Planned {
			planned = append(planned, t.ID)
		}
	}
	if again > 0 {
		c.tell(Event{Kind: EventRemade, Text: fmt.Sprintf("trials that had failed are tried again: %d", again)})
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

// mirrorFault tells of a copy that failed; the batch goes on.
func (c *Coordinator) mirrorFault(err error) {
	c.tell(Event{Kind: EventMirror, Text: err.Error()})
}

// Close ends what Open began, once the last results have been copied.
func (c *Coordinator) Close() {
	if c.mirror != nil {
		c.mirror.close()
	}
}
