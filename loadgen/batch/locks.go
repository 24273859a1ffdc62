package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// locks keep two workers from driving the same target at once: each would be the
// other's noise. A lock is a key with its holder, and lives as long as it is
// renewed.
type locks struct {
	kv     jetstream.KeyValue
	timing Timing
}

func (s *Store) openLocks(ctx context.Context, timing Timing) (*locks, error) {
	kv, err := s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: lockBucket, Storage: jetstream.FileStorage, History: 1})
	if err != nil {
		return nil, fmt.Errorf("batch locks: %w", err)
	}
	return &locks{kv, timing}, nil
}

// hold waits for the lock of a target and takes it.
func (l *locks) hold(ctx context.Context, target, worker string) (release func(), err error) {
	for {
		_, err := l.kv.Create(ctx, target, []byte(worker))
		if err == nil {
			break
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, fmt.Errorf("lock of target %s: %w", target, err)
		}
		if err := l.breakStale(ctx, target, worker); err != nil {
			return nil, err
		}
		pause(ctx, l.timing.Beat/10)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timing.Beat)
		defer cancel()
		if e, err := l.kv.Get(ctx, target); err == nil && string(e.Value()) == worker {
			_ = l.kv.Delete(ctx, target, jetstream.LastRevision(e.Revision())) // else it runs out
		}
	}, nil
}

// breakStale removes a lock that was not renewed for a lease, or is the worker's
// own of an earlier life.
func (l *locks) breakStale(ctx context.Context, target, worker string) error {
	e, err := l.kv.Get(ctx, target)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("lock of target %s: %w", target, err)
	}
	if time.Since(e.Created()) < l.timing.Lease && string(e.Value()) != worker {
		return nil
	}
	err = l.kv.Delete(ctx, target, jetstream.LastRevision(e.Revision()))
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return nil // renewed, or broken by somebody else
	}
	return err
}

func (l *locks) renew(ctx context.Context, target, worker string) {
	if e, err := l.kv.Get(ctx, target); err == nil && string(e.Value()) == worker {
		_, _ = l.kv.Update(ctx, target, []byte(worker), e.Revision())
	}
}
