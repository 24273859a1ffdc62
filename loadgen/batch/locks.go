package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// locks keep two workers from driving the same node at once: each would be the
// other's noise. A lock is a key with its holder, and lives as long as it is
// renewed. Whether it was is told by its revision and by the clock of the one who
// wants it: clocks of two machines are never compared.
type locks struct {
	kv     jetstream.KeyValue
	timing Timing
	seen   map[string]sighting
}

// A sighting is since when somebody has seen a key unchanged.
type sighting struct {
	revision uint64
	since    time.Time
}

func (s *Store) openLocks(ctx context.Context, timing Timing) (*locks, error) {
	kv, err := s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: s.bucket(lockBucket), Storage: jetstream.FileStorage, History: 1})
	if err != nil {
		return nil, fmt.Errorf("batch locks: %w", err)
	}
	return &locks{kv, timing, map[string]sighting{}}, nil
}

// try takes the lock of a node if nobody has it, or whoever had it was not heard
// of for a lease.
func (l *locks) try(ctx context.Context, node, holder string) (bool, error) {
	_, err := l.kv.Create(ctx, node, []byte(holder))
	if err == nil {
		delete(l.seen, node)
		return true, nil
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return false, fmt.Errorf("lock of node %s: %w", node, err)
	}
	e, err := l.kv.Get(ctx, node)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil // released meanwhile: the next try has it
	}
	if err != nil {
		return false, fmt.Errorf("lock of node %s: %w", node, err)
	}
	if string(e.Value()) == holder {
		return true, nil // an answer that was lost
	}
	if s := l.seen[node]; s.revision != e.Revision() {
		l.seen[node] = sighting{e.Revision(), time.Now()}
		return false, nil
	} else if time.Since(s.since) < l.timing.Lease {
		return false, nil
	}
	_, err = l.kv.Update(ctx, node, []byte(holder), e.Revision())
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) || errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil // renewed, or taken by somebody else
	}
	return err == nil, err
}

// release gives the lock up; one that cannot be runs out.
func (l *locks) release(ctx context.Context, node, holder string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timing.Beat)
	defer cancel()
	if e, err := l.kv.Get(ctx, node); err == nil && string(e.Value()) == holder {
		_ = l.kv.Delete(ctx, node, jetstream.LastRevision(e.Revision()))
	}
}

// holder is who has the lock, for messages.
func (l *locks) holder(ctx context.Context, node string) string {
	e, err := l.kv.Get(ctx, node)
	if err != nil {
		return "unknown"
	}
	return string(e.Value())
}

func (l *locks) renew(ctx context.Context, node, holder string) {
	if e, err := l.kv.Get(ctx, node); err == nil && string(e.Value()) == holder {
		_, _ = l.kv.Update(ctx, node, []byte(holder), e.Revision())
	}
}
