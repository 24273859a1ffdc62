package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"edgebench/analysis"
)

// maxFailures in a row put a node into quarantine: it is the machine then, and
// not the trial, that is broken.
const maxFailures = 2

// A Worker makes one trial after the other.
type Worker struct {
	Name    string // unique among the workers of a batch
	Node    string // machine whose target it drives: one trial there at a time
	Role    string // roleConductor, or empty for one that makes trials alone
	Version string
	Scratch string // folder for attempts
	Runner  Runner
	Notice  io.Writer
	Joined  func() // once, when a coordinator has taken it in; nil for nothing
	Beside  bool   // in the coordinator's process, which tells what becomes of attempts
	// Patience bounds how long the worker waits for a store or a coordinator that
	// does not answer; 0: none, its first error ends the worker.
	Patience time.Duration
	Stay     bool // when a batch is over, wait for another one
	// Clear ends processes that an earlier run left behind, and names them; nil
	// when there can be none.
	Clear   func(context.Context) ([]string, error)
	MinFree int64 // bytes free for attempts, below which none begins; 0 for the default

	store    *Store
	ledger   *Ledger
	queue    *Queue
	locks    *locks
	objects  jetstream.ObjectStore
	texts    jetstream.ObjectStore // profiles
	terms    Terms
	read     string // which terms those are
	presence presence
	joined   sync.Once
}

// Join connects a worker to the store; the batch there need not have begun.
func (w *Worker) Join(s *Store) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	w.store = s
	if w.MinFree == 0 {
		w.MinFree = DefaultMinFree
	}
	if err := os.MkdirAll(w.Scratch, 0o777); err != nil {
		return err
	}
	w.presence.Presence = Presence{Worker: w.Name, Instance: nuid.Next(), Node: w.Node, Host: host, PID: os.Getpid(), Version: w.Version, Role: w.Role}
	w.doing(Idle, "", 0)
	return nil
}

// open takes up the terms of the batch and where its things are.
func (w *Worker) open(ctx context.Context, terms string) (err error) {
	s := w.store
	if w.terms, err = s.readTerms(ctx); err != nil {
		return err
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
	if w.objects, err = s.js.ObjectStore(ctx, s.bucket(objectBucket)); err != nil {
		return fmt.Errorf("batch results: %w", err)
	}
	if w.texts, err = s.js.ObjectStore(ctx, s.bucket(profileBucket)); err != nil {
		return fmt.Errorf("batch profiles: %w", err)
	}
	w.read = terms
	return nil
}

// poll is how often a worker without a trial asks the coordinator.
const poll = time.Second

// Work makes trials until the batch is over or ctx ends. Its error is ErrRefused,
// or that of a store that stayed away.
func (w *Worker) Work(ctx context.Context) error {
	defer w.leave()
	var away time.Time // since when nobody answers
	for ctx.Err() == nil {
		over, err := w.turn(ctx)
		switch {
		case ctx.Err() != nil || over:
			return nil
		case err == nil:
			away = time.Time{}
			continue
		case errors.Is(err, ErrRefused), w.Patience == 0, w.store.conn.IsClosed():
			return err
		case away.IsZero():
			away = time.Now()
			fmt.Fprintf(w.Notice, "%v: waiting for it, up to %v\n", err, w.Patience)
		case time.Since(away) > w.Patience:
			return fmt.Errorf("nothing for %v: %w", w.Patience, err)
		}
		pause(ctx, poll)
	}
	return nil
}

// turn asks the coordinator, and makes a trial where there is one to be made.
func (w *Worker) turn(ctx context.Context) (over bool, err error) {
	order, err := w.say(ctx)
	switch {
	case err != nil:
		return false, err
	case order.Refused != "":
		return false, fmt.Errorf("%w: %s", ErrRefused, order.Refused)
	}
	if w.Joined != nil {
		w.joined.Do(w.Joined)
	}
	switch {
	case order.Phase != Open && !w.Stay:
		fmt.Fprintf(w.Notice, "the batch is %s\n", order.Phase)
		return true, nil
	case order.Quarantine != "":
		w.isolate(order.Quarantine)
	case order.Phase == Open && order.Terms != w.read:
		return false, w.open(ctx, order.Terms)
	case order.Phase == Open:
		w.presence.isolated = false
		return false, w.take(ctx)
	}
	pause(ctx, poll)
	return false, nil
}

// take makes the next trial of the queue, alone on its node from before it is
// taken until the node has come to rest again.
func (w *Worker) take(ctx context.Context) error {
	held, err := w.locks.try(ctx, w.Node, w.Name)
	if err != nil {
		return err
	}
	if !held {
		w.doing(Waiting, "", 0)
		pause(ctx, min(poll, w.terms.Beat/10))
		return nil
	}
	defer w.locks.release(ctx, w.Node, w.Name)
	if err := errors.Join(w.clear(ctx), checkFree(w.Scratch, w.MinFree)); err != nil {
		w.hinder(ctx, err)
		return nil
	}
	id, err := w.queue.Next(ctx, min(poll, w.terms.Beat))
	if err != nil || id == "" {
		return err
	}
	trial, ok := w.terms.trial(id)
	// One of another plan is nobody's; one that does not fit before the deadline
	// stays planned.
	if !ok || !w.terms.fits(trial, time.Now()) {
		return nil
	}
	err = w.one(ctx, trial)
	w.doing(Pausing, "", 0)
	_, failed := errors.AsType[attemptError](err)
	switch {
	case failed:
		w.failed()
	case err == nil:
		w.recovered()
	}
	if failed || errors.Is(err, ErrFenced) || errors.Is(err, errCancelled) {
		if !w.Beside {
			fmt.Fprintf(w.Notice, "%v\n", err)
		}
		err = nil
	}
	w.rest(ctx, w.breather())
	w.doing(Idle, "", 0)
	return err
}

// rest lets the node cool down, heard of all the while.
func (w *Worker) rest(ctx context.Context, d time.Duration) {
	for until := time.Now().Add(d); ctx.Err() == nil; {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		if pause(ctx, min(left, w.terms.Beat)); left > w.terms.Beat {
			w.locks.renew(ctx, w.Node, w.Name)
			_, _ = w.say(ctx) // a lost beat does no harm
		}
	}
}

// run makes one run in a folder of its own, which clean removes.
func (w *Worker) run(ctx context.Context, trial Trial, attempt int) (run string, verdict analysis.Verdict, clean func(), err error) {
	dir, err := scratch(w.Scratch, trial.ID, attempt)
	clean = func() { os.RemoveAll(dir) }
	if err != nil {
		return "", "", clean, err
	}
	profile := filepath.Join(dir, "profile.yaml")
	if err := w.texts.GetFile(ctx, trial.Profile, profile); err != nil {
		return "", "", clean, fmt.Errorf("profile %s: %w", trial.Profile, err)
	}
	run, verdict, err = w.Runner.Run(ctx, profile, filepath.Join(dir, "runs"), trial.Seed)
	return run, verdict, clean, err
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
