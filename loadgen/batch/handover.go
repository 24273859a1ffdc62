package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"edgebench/analysis"
)

// slowest is the rate at which a result is still waited for, in bytes a second.
const slowest = 1 << 20

// handOver uploads the result and then says so in the ledger, in that order: a
// record never names an object that is not there.
func (w *Worker) handOver(ctx context.Context, c *claim, run string, verdict analysis.Verdict) error {
	at := c.now()
	object := fmt.Sprintf("%s/a%d", at.Trial, at.Attempt)
	packed := filepath.Join(filepath.Dir(run), "packed")
	sum, size, err := packFile(packed, run)
	if err != nil {
		return errors.Join(attemptError{at.Trial, err}, w.giveBack(ctx, c, err.Error()))
	}
	err = w.persist(ctx, ackWait+time.Duration(size)*time.Second/slowest, func(ctx context.Context) error {
		file, err := os.Open(packed)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := w.objects.Put(ctx, jetstream.ObjectMeta{Name: object}, file); err != nil {
			return fmt.Errorf("result %s: %w", object, err)
		}
		return c.change(func(e *Entry) error { return w.ledger.Finish(ctx, e, object, sum, string(verdict)) })
	})
	if errors.Is(err, ErrFenced) {
		return errors.Join(err, w.objects.Delete(ctx, object))
	}
	return err
}

// persist tries until the store has taken note, each time for so long: the store
// may be away while its coordinator is started again.
func (w *Worker) persist(ctx context.Context, each time.Duration, step func(context.Context) error) error {
	for told := false; ; {
		// What is said of an attempt is said even while the worker is told to end.
		try, cancel := context.WithTimeout(context.WithoutCancel(ctx), each)
		err := step(try)
		cancel()
		if err == nil || errors.Is(err, ErrFenced) || w.Patience == 0 || ctx.Err() != nil || w.store.conn.IsClosed() {
			return err
		}
		if !told {
			fmt.Fprintf(w.Notice, "%v: trying again until it is taken\n", err)
			told = true
		}
		pause(ctx, time.Second)
	}
}

// packFile packs a folder into a file.
func packFile(path, dir string) (sum string, size int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if sum, err = pack(f, dir); err != nil {
		return "", 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	return sum, info.Size(), nil
}
