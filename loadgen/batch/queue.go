package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Queue hands trials out in order. It may be lost at any time: the ledger
// decides who has a trial, so one handed out twice is refused once.
type Queue struct {
	js       jetstream.JetStream
	consumer jetstream.Consumer
}

// RebuildQueue throws the queue away and fills it with trials in their order.
func (s *Store) RebuildQueue(ctx context.Context, trials []string) (*Queue, error) {
	if err := s.js.DeleteStream(ctx, queueStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	_, err := s.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: queueStream, Subjects: []string{queueSubject}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
	})
	if err != nil {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	q, err := s.OpenQueue(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range trials {
		if err := q.Add(ctx, t); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// OpenQueue joins the queue there is.
func (s *Store) OpenQueue(ctx context.Context) (*Queue, error) {
	consumer, err := s.js.CreateOrUpdateConsumer(ctx, queueStream, jetstream.ConsumerConfig{
		Durable: queueConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: Lease, MaxDeliver: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	return &Queue{s.js, consumer}, nil
}

// Add puts a trial at the end.
func (q *Queue) Add(ctx context.Context, trial string) error {
	if _, err := q.js.Publish(ctx, queueSubject, []byte(trial)); err != nil {
		return fmt.Errorf("batch queue: trial %s: %w", trial, err)
	}
	return nil
}

// Next waits up to wait for a trial; "" when there was none. The trial is out of
// the queue then, and the ledger's to keep.
func (q *Queue) Next(ctx context.Context, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	msg, err := q.consumer.Next(jetstream.FetchContext(ctx))
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrMsgIteratorClosed), errors.Is(err, jetstream.ErrNoMessages):
		return "", nil
	case err != nil:
		return "", err
	}
	trial := string(msg.Data())
	if err := msg.DoubleAck(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("batch queue: trial %s: %w", trial, err)
	}
	return trial, nil
}
