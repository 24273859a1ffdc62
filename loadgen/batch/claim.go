package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"edgebench/analysis"
)

// errCancelled ends an attempt because its batch was.
var errCancelled = errors.New("the batch was cancelled")

// A claim is a trial in a worker's hands: its entry is written by the worker and
// by the heartbeat beside it.
type claim struct {
	ledger *Ledger
	mu     sync.Mutex
	entry  Entry
}

// change applies one of the ledger's steps to the entry.
func (c *claim) change(step func(*Entry) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return step(&c.entry)
}

// now is the entry as it was written last; a heartbeat may write the next.
func (c *claim) now() Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entry
}

// heart beats for a claim until it is stopped: to the ledger, to the lock of the
// node, and to the coordinator. A beat that is refused ends the context that it
// returns: the trial is another worker's, or nobody's any more.
func (w *Worker) heart(ctx context.Context, c *claim) (beating context.Context, stop func()) {
	beating, end := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		beat := time.NewTicker(w.terms.Beat)
		defer beat.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-beat.C:
				if err := w.beat(beating, c); err != nil {
					end(err)
					return
				}
			}
		}
	})
	return beating, func() { end(nil); wg.Wait() }
}

// beat is one heartbeat. A lost one does no harm, so only a refusal is an error.
func (w *Worker) beat(ctx context.Context, c *claim) error {
	ctx, cancel := context.WithTimeout(ctx, w.terms.Beat)
	defer cancel()
	err := c.change(func(e *Entry) error { return w.ledger.Renew(ctx, e) })
	if errors.Is(err, ErrFenced) {
		return err
	}
	w.locks.renew(ctx, w.Node, w.Name)
	if order, err := w.say(ctx); err == nil && order.Phase == Cancelled {
		return errCancelled
	}
	return nil
}

// one claims a trial, makes its run and hands the result over.
func (w *Worker) one(ctx context.Context, trial Trial) error {
	entry, err := w.ledger.Claim(ctx, trial.ID, w.Name, w.presence.Instance)
	if err != nil {
		return err
	}
	w.doing(Working, trial.ID, entry.Attempt)
	w.announce()
	c := &claim{ledger: w.ledger, entry: entry}
	beating, stop := w.heart(ctx, c)
	defer stop()
	run, verdict, clean, err := w.run(beating, trial, entry.Attempt)
	defer clean()
	cause := context.Cause(beating)
	switch {
	case errors.Is(cause, ErrFenced):
		return cause
	case cause != nil:
		return errors.Join(cause, w.giveBack(ctx, c, ""))
	case err != nil && checkFree(w.Scratch, w.MinFree) != nil:
		// A full disk says nothing of the trial either, and ends no attempt of it.
		return w.giveBack(ctx, c, "")
	case err != nil:
		return errors.Join(attemptError{trial.ID, err}, w.giveBack(ctx, c, err.Error()))
	case verdict == analysis.Invalid && entry.Faults < w.terms.Retries:
		// The machine was too busy: that says nothing of the trial, so it is made again.
		return w.giveBack(ctx, c, "the run was invalid")
	}
	w.doing(Handing, trial.ID, entry.Attempt)
	if err := w.handOver(ctx, c, run, verdict); err != nil {
		return err
	}
	// The coordinator answers once it has committed, so that its work is done
	// before the next trial is measured.
	_, _ = w.say(ctx) // if it does not, the store has the result
	return nil
}

// An attemptError is about an attempt that came to no result.
type attemptError struct {
	trial string
	err   error
}

func (a attemptError) Error() string {
	return "trial " + a.trial + ": attempt failed: " + a.err.Error()
}
func (a attemptError) Unwrap() error { return a.err }

// giveBack ends an attempt that came to nothing, for a reason or because it never
// began, and puts the trial in the queue again while it has attempts left.
func (w *Worker) giveBack(ctx context.Context, c *claim, why string) error {
	return w.persist(ctx, ackWait, func(ctx context.Context) error {
		return c.change(func(e *Entry) error {
			var err error
			switch {
			case e.State != Claimed: // said already; the queue was away
			case why == "":
				err = w.ledger.Return(ctx, e)
			default:
				err = w.ledger.GiveBack(ctx, e, why, w.terms.Retries)
			}
			if err != nil || e.State != Planned {
				return err
			}
			return w.queue.Add(ctx, e.Trial)
		})
	})
}
