package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ackWait bounds the wait for the store to take note.
const ackWait = 10 * time.Second

// A Queue hands trials out in order. It may be lost at any time: the ledger
// decides who has a trial, so one handed out twice is refused once.
type Queue struct {
	js       jetstream.JetStream
	subject  string
	consumer jetstream.Consumer
}

// RebuildQueue throws the queue away and fills it with trials in their order. One
// that was lost on its way to a worker is handed out again after the time again.
func (s *Store) RebuildQueue(ctx context.Context, trials []string, again time.Duration) (*Queue, error) {
	if err := s.js.DeleteStream(ctx, s.bucket(queueStream)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	_, err := s.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: s.bucket(queueStream), Subjects: []string{s.subject(queueSubject)}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
	})
	if err != nil {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	consumer, err := s.js.CreateConsumer(ctx, s.bucket(queueStream), jetstream.ConsumerConfig{
		Durable: queueConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: again, MaxDeliver: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	q := &Queue{s.js, s.subject(queueSubject), consumer}
	for _, t := range trials {
		if err := q.Add(ctx, t); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// OpenQueue joins the queue a coordinator made.
func (s *Store) OpenQueue(ctx context.Context) (*Queue, error) {
	consumer, err := s.js.Consumer(ctx, s.bucket(queueStream), queueConsumer)
	if err != nil {
		return nil, fmt.Errorf("batch queue: %w", err)
	}
	return &Queue{s.js, s.subject(queueSubject), consumer}, nil
}

// Add puts a trial at the end.
func (q *Queue) Add(ctx context.Context, trial string) error {
	if _, err := q.js.Publish(ctx, q.subject, []byte(trial)); err != nil {
		return fmt.Errorf("batch queue: trial %s: %w", trial, err)
	}
	return nil
}

// Empty reports whether no trial waits in the queue or is on its way out of it.
func (q *Queue) Empty(ctx context.Context) (bool, error) {
	info, err := q.consumer.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("batch queue: %w", err)
	}
	return info.NumPending == 0 && info.NumAckPending == 0, nil
}

// Next waits up to wait for a trial; "" when there was none. The trial is out of
// the queue then, and the ledger's to keep.
func (q *Queue) Next(ctx context.Context, wait time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	msg, err := q.consumer.Next(jetstream.FetchContext(ctx))
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrNoMessages):
		return "", nil
	case err != nil:
		return "", err
	}
	trial := string(msg.Data())
	// Not by the waiting's own deadline: it may be over now.
	acking, acked := context.WithTimeout(context.WithoutCancel(ctx), ackWait)
	defer acked()
	if err := msg.DoubleAck(acking); err != nil {
		return "", fmt.Errorf("batch queue: trial %s: %w", trial, err)
	}
	return trial, nil
}
