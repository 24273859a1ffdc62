package batch

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// opened is a store with a ledger, a queue and a place for results.
func opened(t testing.TB, p *Plan) *Coordinator {
	t.Helper()
	dir := t.TempDir()
	s, err := OpenStore(t.Context(), filepath.Join(dir, storeDir), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &Coordinator{Plan: p, Folder: NewFolder(dir), Notice: io.Discard}
	if err := c.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return c
}

// An answer that was lost on its way fences nobody; another's claim does.
func TestALostAnswerDoesNotFence(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), planOf(t, small)
	c := opened(t, p)
	l, id := c.ledger, p.Trials[0].ID
	mine, err := l.Claim(ctx, id, "w", "1")
	if err != nil {
		t.Fatal(err)
	}
	before := mine
	for _, beats := range []int64{0, 0, 5} {
		e := before // what the worker knows when no answer came
		e.Beat += beats
		if err := l.Renew(ctx, &e); err != nil {
			t.Errorf("after %d beats: %v", beats, err)
		}
	}
	if _, err := l.Claim(ctx, id, "other", "2"); !errors.Is(err, ErrFenced) {
		t.Errorf("another's claim: %v", err)
	}
	taken, err := l.Read(ctx, id)
	if err == nil {
		err = l.TakeBack(ctx, &taken, "not heard of")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Finish(ctx, &before, "o", "s", "valid"); !errors.Is(err, ErrFenced) {
		t.Errorf("a result after it was taken back: %v", err)
	}
	// The coordinator takes nothing back from a worker that lives.
	alive, err := l.Claim(ctx, id, "w", "1")
	if err != nil {
		t.Fatal(err)
	}
	old := alive
	if err := l.Renew(ctx, &alive); err != nil {
		t.Fatal(err)
	}
	if err := l.TakeBack(ctx, &old, "not heard of"); !errors.Is(err, ErrFenced) {
		t.Errorf("taken back from the living: %v", err)
	}
}

// What the rules of durability cost, each write synced: a claim, a heartbeat, and
// a result of a megabyte handed over and committed.
func BenchmarkStore(b *testing.B) {
	p := planOf(b, small)
	c := opened(b, p)
	ctx, id := b.Context(), p.Trials[0].ID
	b.Run("claim and return", func(b *testing.B) {
		for b.Loop() {
			e, err := c.ledger.Claim(ctx, id, "w", "1")
			if err == nil {
				err = c.ledger.Return(ctx, &e)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	e, err := c.ledger.Claim(ctx, id, "w", "1")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("heartbeat", func(b *testing.B) {
		for b.Loop() {
			if err := c.ledger.Renew(ctx, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	data := make([]byte, 1<<20)
	b.Run("object of 1 MB", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := putAndDrop(ctx, c.objects, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func putAndDrop(ctx context.Context, objects jetstream.ObjectStore, data []byte) error {
	if _, err := objects.PutBytes(ctx, "t/a1", data); err != nil {
		return err
	}
	return objects.Delete(ctx, "t/a1")
}
