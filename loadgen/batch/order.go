package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// Roles of workers in a batch whose trials several processes make together.
const (
	RoleGenerator = rundir.RoleGenerator
	RoleTarget    = rundir.RoleTarget
	roleConductor = "conductor" // the coordinator's own worker, who makes such trials with them
)

// An order is what the conductor wants of one member of a group. Every one of
// them is answered with how things are, and so is a heartbeat both ways.
type order struct {
	Do      string `json:"do"`
	Session string `json:"session"`

	// Of prepare.
	Profile []byte        `json:"profile,omitempty"`
	Seed    uint64        `json:"seed,omitempty"`
	Share   arrival.Share `json:"share"`
	Node    string        `json:"node,omitempty"` // HOST:PORT of the bundled node; "" for none
	Lease   time.Duration `json:"lease_ns,omitempty"`

	Start *startLine `json:"start,omitempty"` // of start
}

// Orders.
const (
	doRoll    = "roll"    // who is there
	doPrepare = "prepare" // begin a session: everything up to the start
	doStart   = "start"   // play from the instant
	doLook    = "look"    // how things are
	doFinish  = "finish"  // of the target: end the node, hand over
	doEnd     = "end"     // the session is over, whatever it was at
)

// A startLine is what a process that waits for its start reads (loadgen run
// --start-at -).
type startLine struct {
	StartUnixNS int64 `json:"start_unix_ns"` // on the member's clock
	rundir.Start
}

// Stages of a session.
const (
	preparing = "preparing"
	ready     = "ready"
	playing   = "playing"
	done      = "done"
	failed    = "failed"
)

// A stage is a member's answer.
type stage struct {
	Member  string `json:"member"`
	Role    string `json:"role"`
	Version string `json:"version"`
	UnixNS  int64  `json:"unix_ns"` // the member's clock, as it answers

	Session string `json:"session,omitempty"` // "" when it is free
	Stage   string `json:"stage,omitempty"`
	Error   string `json:"error,omitempty"` // of failed
	Addr    string `json:"addr,omitempty"`  // of a target that is ready
	Object  string `json:"object,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

func memberSubject(name string) string { return "member." + name }

const rollSubject = "roll"

// order sends an order to one member and returns its answer.
func (s *Store) order(ctx context.Context, member string, o order) (stage, error) {
	var answer stage
	data, err := json.Marshal(o)
	if err != nil {
		return answer, err
	}
	m, err := s.conn.RequestWithContext(ctx, s.subject(memberSubject(member)), data)
	if errors.Is(err, nats.ErrNoResponders) {
		err = errors.New("it is gone")
	}
	if err != nil {
		return answer, fmt.Errorf("%s: %w", member, err)
	}
	return answer, json.Unmarshal(m.Data, &answer)
}

// rollTime is how long a call of the roll waits for answers.
const rollTime = 300 * time.Millisecond

// roll returns who answers, in the order of names.
func (s *Store) roll(ctx context.Context) ([]stage, error) {
	data, err := json.Marshal(order{Do: doRoll})
	if err != nil {
		return nil, err
	}
	inbox := s.conn.NewRespInbox()
	sub, err := s.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe() //nolint:errcheck // ends with the connection anyway
	if err := s.conn.PublishRequest(s.subject(rollSubject), inbox, data); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, rollTime)
	defer cancel()
	var present []stage
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			break
		}
		var a stage
		if len(m.Data) > 0 && json.Unmarshal(m.Data, &a) == nil {
			present = append(present, a)
		}
	}
	slices.SortFunc(present, func(a, b stage) int { return strings.Compare(a.Member, b.Member) })
	return present, nil
}

// misplaced says why a worker of a role has nothing to do in a batch, empty when
// it has.
func misplaced(b *profiles.Batch, role string) string {
	switch {
	case b.Generators > 0 && role == "":
		return "the trials of this batch are made by several workers together: join with --role generator or --role target"
	case b.Generators == 0 && role != "":
		return fmt.Sprintf("the batch says nothing of generators, so there is nothing to do for a %s: join without --role", role)
	}
	return ""
}
