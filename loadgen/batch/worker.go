package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"edgebench/analysis"
)

// maxFailures in a row put a worker into quarantine: it is the machine then, and
// not the trial, that is broken.
const maxFailures = 2

// ErrQuarantined ends a worker that failed too often in a row.
var ErrQuarantined = errors.New("quarantined")

// A Worker makes one trial after the other.
type Worker struct {
	Name    string // unique among the workers of a batch
	Target  string // machine whose target it drives: one trial there at a time
	Version string
	Scratch string // folder for attempts
	Runner  Runner
	Notice  io.Writer

	ledger  *Ledger
	queue   *Queue
	locks   *locks
	objects jetstream.ObjectStore
	texts   jetstream.ObjectStore // profiles
	terms   Terms
}

// Join connects a worker to the batch in the store.
func (w *Worker) Join(ctx context.Context, s *Store) (err error) {
	if w.terms, err = s.readTerms(ctx); err != nil {
		return err
	}
	if w.terms.Version != w.Version {
		return fmt.Errorf("the batch is of version %s, this worker of %s: results would not be comparable", w.terms.Version, w.Version)
	}
	if w.ledger, err = s.OpenLedger(ctx); err != nil {
		return err
	}
	if w.queue, err = s.OpenQueue(ctx); err != nil {
		return err
	}
	if w.locks, err = s.openLocks(ctx, w.terms.Timing); err != nil {
		return err
	}
	if w.objects, err = s.js.ObjectStore(ctx, objectBucket); err != nil {
		return fmt.Errorf("batch results: %w", err)
	}
	if w.texts, err = s.js.ObjectStore(ctx, profileBucket); err != nil {
		return fmt.Errorf("batch profiles: %w", err)
	}
	return nil
}

// Work makes trials until ctx ends. Its error is ErrQuarantined, or the store's.
func (w *Worker) Work(ctx context.Context) error {
	failures := 0
	for ctx.Err() == nil {
		id, err := w.queue.Next(ctx, w.terms.Beat)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if id == "" {
			continue
		}
		trial, ok := w.terms.trial(id)
		if !ok {
			continue // a queue of another plan
		}
		if !w.terms.fits(trial, time.Now()) {
			continue // it stays planned: the deadline came first
		}
		switch err := w.one(ctx, trial); {
		case errors.Is(err, ErrFenced):
			fmt.Fprintf(w.Notice, "%v\n", err)
		case errors.Is(err, errAttempt):
			fmt.Fprintf(w.Notice, "%v\n", err)
			if failures++; failures >= maxFailures {
				return fmt.Errorf("worker %s: %w after %d failed attempts in a row", w.Name, ErrQuarantined, failures)
			}
		case err != nil && ctx.Err() == nil:
			return err
		default:
			failures = 0
		}
		pause(ctx, w.terms.Cooldown)
	}
	return nil
}

// errAttempt marks an attempt that came to no result.
var errAttempt = errors.New("attempt failed")

// one claims a trial, makes its run and hands the result over.
func (w *Worker) one(ctx context.Context, trial Trial) error {
	release, err := w.locks.hold(ctx, w.Target, w.Name)
	if err != nil {
		return err
	}
	defer release()
	entry, err := w.ledger.Claim(ctx, trial.ID, w.Name)
	if err != nil {
		return err
	}
	// What is said of this attempt is said even while the worker is told to end.
	say := context.WithoutCancel(ctx)
	dir, err := scratch(w.Scratch, trial.ID, entry.Attempt)
	if err != nil {
		return errors.Join(err, w.giveBack(say, &entry, ""))
	}
	defer os.RemoveAll(dir)
	run, verdict, err := w.run(ctx, &entry, trial, dir)
	switch {
	case errors.Is(err, ErrFenced):
		return err
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), w.giveBack(say, &entry, ""))
	case err != nil:
		return errors.Join(fmt.Errorf("trial %s: %w: %w", trial.ID, errAttempt, err), w.giveBack(say, &entry, err.Error()))
	case verdict == analysis.Invalid && entry.Faults < w.terms.Retries:
		// The machine was too busy: that says nothing of the trial, so it is made again.
		return w.giveBack(say, &entry, "the run was invalid")
	}
	return w.handOver(say, &entry, run, verdict)
}

// giveBack ends an attempt that came to nothing, for a reason or because it never
// began, and puts the trial in the queue again while it has attempts left.
func (w *Worker) giveBack(ctx context.Context, entry *Entry, why string) error {
	var err error
	if why == "" {
		err = w.ledger.Return(ctx, entry)
	} else {
		err = w.ledger.GiveBack(ctx, entry, why, w.terms.Retries)
	}
	if err != nil || entry.State != Planned {
		return err
	}
	return w.queue.Add(ctx, entry.Trial)
}

// run makes the run with heartbeats beside it. A heartbeat that is refused ends
// the run: the trial is another worker's.
func (w *Worker) run(ctx context.Context, entry *Entry, trial Trial, dir string) (string, analysis.Verdict, error) {
	profile := filepath.Join(dir, "profile.yaml")
	if err := w.texts.GetFile(ctx, trial.Profile, profile); err != nil {
		return "", "", fmt.Errorf("profile %s: %w", trial.Profile, err)
	}
	running, end := context.WithCancelCause(ctx)
	beaten := make(chan struct{})
	go func() {
		defer close(beaten)
		beat := time.NewTicker(w.terms.Beat)
		defer beat.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-beat.C:
				err := w.ledger.Renew(ctx, entry)
				if errors.Is(err, ErrFenced) {
					end(err)
					return
				}
				w.locks.renew(ctx, w.Target, w.Name) // a lost beat does no harm
			}
		}
	}()
	run, verdict, err := w.Runner.Run(running, profile, filepath.Join(dir, "runs"), trial.Seed)
	end(nil)
	<-beaten // the entry is this goroutine's again
	if cause := context.Cause(running); errors.Is(cause, ErrFenced) {
		return "", "", cause
	}
	return run, verdict, err
}

// handOver uploads the result and then says so in the ledger, in that order: a
// record never names an object that is not there.
func (w *Worker) handOver(ctx context.Context, entry *Entry, run string, verdict analysis.Verdict) error {
	object := fmt.Sprintf("%s/a%d", entry.Trial, entry.Attempt)
	packed, written := io.Pipe()
	sum := make(chan string, 1)
	go func() {
		s, err := pack(written, run)
		sum <- s
		written.CloseWithError(err)
	}()
	if _, err := w.objects.Put(ctx, jetstream.ObjectMeta{Name: object}, packed); err != nil {
		packed.CloseWithError(err)
		return fmt.Errorf("result %s: %w", object, err)
	}
	err := w.ledger.Finish(ctx, entry, object, <-sum, string(verdict))
	if errors.Is(err, ErrFenced) {
		return errors.Join(err, w.objects.Delete(ctx, object))
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Terms are what workers have to know of a batch.
type Terms struct {
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Trials   []Trial       `json:"trials"`
	Cooldown time.Duration `json:"cooldown_ns"`
	Retries  int           `json:"retries"`
	Deadline time.Time     `json:"deadline"` // zero for none
	Timing
}

func (t *Terms) trial(id string) (Trial, bool) {
	for _, trial := range t.Trials {
		if trial.ID == id {
			return trial, true
		}
	}
	return Trial{}, false
}

// fits reports whether a trial begun now ends before the deadline.
func (t *Terms) fits(trial Trial, now time.Time) bool {
	return t.Deadline.IsZero() || !now.Add(trial.Length).After(t.Deadline)
}
