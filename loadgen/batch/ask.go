package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// A Request is what somebody outside wants of a coordinator.
type Request struct {
	Do   string `json:"do"`             // one of the constants below
	Node string `json:"node,omitempty"` // of AskLift
}

// Requests.
const (
	AskStatus = "status" // how things are
	AskDrain  = "drain"  // begin no trial any more, end when those in progress have
	AskCancel = "cancel" // end those in progress too; resume makes them again
	AskLift   = "lift"   // end a node's quarantine
)

// A Reply is the coordinator's answer.
type Reply struct {
	Status Status `json:"status"`
	Error  string `json:"error,omitempty"`
}

// do follows a request. The error is for the one who asked.
func (c *Coordinator) do(r Request) error {
	switch r.Do {
	case AskStatus:
	case AskDrain:
		c.turn(Draining, "no more trials begin: asked to")
	case AskCancel:
		c.turn(Cancelled, "the batch was cancelled: asked to")
	case AskLift:
		if err := c.roster.lift(r.Node); err != nil {
			return err
		}
		c.tell(lifted(r.Node))
	default:
		return fmt.Errorf("a request to %q: this coordinator knows none", r.Do)
	}
	return nil
}

func lifted(node string) Event {
	return Event{Kind: EventLifted, Node: node, Text: fmt.Sprintf("node %s: its quarantine was lifted", node)}
}

// serve answers a request that came over the network.
func (c *Coordinator) serve(m *nats.Msg) error {
	var r Request
	err := json.Unmarshal(m.Data, &r)
	if err == nil {
		err = c.do(r)
	}
	reply := Reply{Status: c.Status()}
	if err != nil {
		reply.Error = err.Error()
	}
	return c.reply(m, reply)
}

// askTimeout bounds the wait for an answer.
const askTimeout = 10 * time.Second

// Ask sends a request to the coordinator of the batch in the store.
func (s *Store) Ask(ctx context.Context, r Request) (Status, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return Status{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := s.conn.RequestWithContext(ctx, s.subject(askSubject), data)
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w: %w", s.conn.ConnectedUrlRedacted(), ErrNoCoordinator, err)
	}
	var reply Reply
	if err := json.Unmarshal(m.Data, &reply); err != nil {
		return Status{}, err
	}
	if reply.Error != "" {
		return reply.Status, fmt.Errorf("the coordinator: %s", reply.Error)
	}
	return reply.Status, nil
}
