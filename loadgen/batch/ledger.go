package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrFenced is about a trial that was given to somebody else meanwhile: what the
// late worker has must not count.
var ErrFenced = errors.New("the trial was given to another worker")

// A Ledger keeps one record a trial. Every change names the revision it was made
// from, and fails with ErrFenced when that is no longer the last.
type Ledger struct{ kv jetstream.KeyValue }

// OpenLedger makes the ledger where there is none.
func (s *Store) OpenLedger(ctx context.Context) (*Ledger, error) {
	kv, err := s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: s.bucket(ledgerBucket), Storage: jetstream.FileStorage, History: 1})
	if err != nil {
		return nil, fmt.Errorf("batch ledger: %w", err)
	}
	return &Ledger{kv}, nil
}

// An Entry is a record as it was read.
type Entry struct {
	Trial string
	Record
	revision uint64
}

// Read returns the entry of a trial; one that was never written is Planned.
func (l *Ledger) Read(ctx context.Context, trial string) (Entry, error) {
	e, err := l.kv.Get(ctx, trial)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Entry{Trial: trial, Record: Record{State: Planned}}, nil
	}
	if err != nil {
		return Entry{}, fmt.Errorf("batch ledger: trial %s: %w", trial, err)
	}
	entry := Entry{Trial: trial, revision: e.Revision()}
	if err := json.Unmarshal(e.Value(), &entry.Record); err != nil {
		return Entry{}, fmt.Errorf("batch ledger: trial %s: %w", trial, err)
	}
	return entry, nil
}

// write replaces the record, if nobody else did since e was read. What is there
// already counts as written: the answer to an earlier try may have been lost.
func (l *Ledger) write(ctx context.Context, e *Entry, r Record) error {
	err := l.put(ctx, e, r)
	if !errors.Is(err, ErrFenced) {
		return err
	}
	now, readErr := l.Read(ctx, e.Trial)
	if readErr != nil {
		return readErr
	}
	if now.Record.same(r) {
		*e = now
		return nil
	}
	return err
}

// hold replaces the record of a claim by the one who holds it: a heartbeat of its
// own whose answer was lost does not fence it.
func (l *Ledger) hold(ctx context.Context, e *Entry, r Record) error {
	err := l.write(ctx, e, r)
	if !errors.Is(err, ErrFenced) {
		return err
	}
	now, readErr := l.Read(ctx, e.Trial)
	if readErr != nil {
		return readErr
	}
	if now.State != Claimed || now.Attempt != e.Attempt || now.Instance != e.Instance {
		return err
	}
	e.revision = now.revision
	return l.put(ctx, e, r)
}

func (l *Ledger) put(ctx context.Context, e *Entry, r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var revision uint64
	if e.revision == 0 {
		revision, err = l.kv.Create(ctx, e.Trial, data)
	} else {
		revision, err = l.kv.Update(ctx, e.Trial, data, e.revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return fmt.Errorf("trial %s: %w", e.Trial, ErrFenced)
	}
	if err != nil {
		return fmt.Errorf("batch ledger: trial %s: %w", e.Trial, err)
	}
	e.Record, e.revision = r, revision
	return nil
}

// Claim takes a planned trial for a worker, in one of its lives.
func (l *Ledger) Claim(ctx context.Context, trial, worker, instance string) (Entry, error) {
	e, err := l.Read(ctx, trial)
	if err != nil {
		return e, err
	}
	if e.State != Planned {
		return e, fmt.Errorf("trial %s is %s: %w", trial, e.State, ErrFenced)
	}
	r := e.Record
	r.State, r.Worker, r.Instance, r.Beat = Claimed, worker, instance, 0
	r.Attempt++
	return e, l.write(ctx, &e, r)
}

// Renew tells that the worker lives.
func (l *Ledger) Renew(ctx context.Context, e *Entry) error {
	r := e.Record
	r.Beat++
	return l.hold(ctx, e, r)
}

// Finish records the result of the attempt e.
func (l *Ledger) Finish(ctx context.Context, e *Entry, object, sha256, verdict string) error {
	r := e.Record
	r.State, r.Object, r.SHA256, r.Verdict = Done, object, sha256, verdict
	return l.hold(ctx, e, r)
}

// GiveBack ends an attempt that failed. Beyond so many retries the trial has failed.
func (l *Ledger) GiveBack(ctx context.Context, e *Entry, why string, retries int) error {
	r := e.Record.after(why)
	if r.Faults++; r.Faults > retries {
		r.State = Failed
	}
	return l.hold(ctx, e, r)
}

// TakeBack ends an attempt whose worker was lost, which is no fault of the trial.
func (l *Ledger) TakeBack(ctx context.Context, e *Entry, why string) error {
	return l.write(ctx, e, e.Record.after(why))
}

// after is the record once the attempt ended without a result.
func (r Record) after(why string) Record {
	r.State, r.Errors = Planned, append(r.Errors[:len(r.Errors):len(r.Errors)], fmt.Sprintf("attempt %d on %s: %s", r.Attempt, r.Worker, why))
	if r.Attempt >= maxAttempts {
		r.State = Failed
	}
	return r
}

// Return puts a claim back that was never begun, and does not count it.
func (l *Ledger) Return(ctx context.Context, e *Entry) error {
	r := e.Record
	r.State, r.Worker, r.Instance = Planned, "", ""
	r.Attempt--
	return l.hold(ctx, e, r)
}

// Renounce forgets that a trial has failed, but not why: it has all its retries again.
func (l *Ledger) Renounce(ctx context.Context, e *Entry) error {
	r := e.Record
	r.State, r.Faults = Planned, 0
	return l.write(ctx, e, r)
}

// Restore writes what is known from elsewhere: a committed result, after the
// store was lost.
func (l *Ledger) Restore(ctx context.Context, e *Entry, r Record) error { return l.write(ctx, e, r) }
