package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// A Phase is what a batch is up to.
type Phase string

// Phases. Only an open batch begins trials.
const (
	Open      Phase = "open"
	Draining  Phase = "draining"  // trials in progress end, and no other begins
	Cancelled Phase = "cancelled" // trials in progress are ended too
	Over      Phase = "over"      // every trial is, or none that is left fits before the deadline
)

// What a worker is doing, in its own words.
const (
	Idle    = "idle"
	Waiting = "waits for its node" // another worker drives it
	Working = "at work"
	Pausing = "cooling down"
	Handing = "handing over"
	Leaving = "leaving"

	Hindered = "waits: " // and for what
)

// A Presence is what a worker says of itself: in a few words at each change, and
// with every heartbeat.
type Presence struct {
	Worker   string    `json:"worker"`
	Instance string    `json:"instance"` // one life of the worker
	Node     string    `json:"node"`     // machine whose target it drives
	Host     string    `json:"host"`     // machine it runs on
	PID      int       `json:"pid"`
	Version  string    `json:"version"`
	Role     string    `json:"role,omitempty"` // in trials that several make together; "" makes trials alone
	Doing    string    `json:"doing"`
	Trial    string    `json:"trial,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Since    time.Time `json:"since"`             // by the worker's clock
	Failures int       `json:"failures"`          // attempts in a row that came to nothing
	Cleared  []string  `json:"cleared,omitempty"` // processes left behind and ended since the last word
}

// An Order is what the coordinator answers.
type Order struct {
	Phase Phase  `json:"phase"`
	Terms string `json:"terms"` // which ones hold; others than before are to be read again
	// Quarantine says why the worker's node is not to be used; "" when it is.
	Quarantine string `json:"quarantine,omitempty"`
	// Refused says why the worker may not take part at all.
	Refused string `json:"refused,omitempty"`
}

// helloTimeout bounds the wait for an answer: a coordinator that commits a result
// answers when it is done.
const helloTimeout = 10 * time.Second

// ErrNoCoordinator is about a store where nobody answers for the batch.
var ErrNoCoordinator = errors.New("no coordinator answers")

// hello tells the coordinator and takes its order.
func (s *Store) hello(ctx context.Context, p Presence) (Order, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return Order{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	reply, err := s.conn.RequestWithContext(ctx, s.subject(helloSubject), data)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return Order{}, fmt.Errorf("the connection was closed for good: %w", errors.Join(err, s.conn.LastError()))
	}
	if err != nil {
		return Order{}, fmt.Errorf("%w: %w", ErrNoCoordinator, err)
	}
	var o Order
	return o, json.Unmarshal(reply.Data, &o)
}
