package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// A Part is a worker with a role in trials that several make together: it sends
// a share of the schedule, or keeps the node.
type Part struct {
	Name    string // unique among the workers of a batch
	Role    string // RoleGenerator or RoleTarget
	Address string // of a target: HOST or HOST:PORT of the network the generators are on
	Version string
	Scratch string  // folder for sessions
	Program Program // loadgen
	Notice  io.Writer
	Joined  func() // once, when a coordinator has taken it in; nil for nothing
	// Patience bounds how long it waits for a coordinator that does not answer.
	Patience time.Duration
	Stay     bool // when a batch is over, wait for another one

	store    *Store
	presence Presence
	mu       sync.Mutex
	session  *session // nil when it is free
}

// Work takes part until the batch is over or ctx ends.
func (p *Part) Work(ctx context.Context, s *Store) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	p.store = s
	p.presence = Presence{
		Worker: p.Name, Instance: nuid.Next(), Node: p.Name, Host: host, PID: os.Getpid(), Version: p.Version,
		Role: p.Role, Doing: Idle, Since: time.Now(),
	}
	defer p.close()
	for _, subject := range []string{rollSubject, memberSubject(p.Name)} {
		sub, err := s.conn.Subscribe(s.subject(subject), p.serve)
		if err != nil {
			return fmt.Errorf("batch: %w", err)
		}
		defer sub.Unsubscribe() //nolint:errcheck // ends with the connection anyway
	}
	return p.attend(ctx)
}

// attend greets the coordinator now and then until it says that all is over.
func (p *Part) attend(ctx context.Context) error {
	heard := time.Now()
	var joined sync.Once
	for ctx.Err() == nil {
		o, err := p.store.hello(ctx, p.say())
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (time.Since(heard) > p.Patience || p.store.conn.IsClosed()):
			return fmt.Errorf("nothing for %v: %w", p.Patience, err)
		case err == nil && o.Refused != "":
			return fmt.Errorf("%w: %s", ErrRefused, o.Refused)
		}
		if err == nil && p.Joined != nil {
			joined.Do(p.Joined)
		}
		switch {
		case err == nil && o.Phase != Open && !p.Stay && (o.Phase != Draining || p.say().Doing == Idle):
			fmt.Fprintf(p.Notice, "the batch is %s\n", o.Phase)
			return nil
		case err == nil:
			heard = time.Now()
		}
		pause(ctx, p.between())
	}
	return nil
}

// between is how long the member says nothing by itself: while a run is measured,
// no more than it takes to be known to be there.
func (p *Part) between() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return poll
	}
	return p.session.order.Lease / 6
}

// say is what the coordinator hears of the member.
func (p *Part) say() Presence {
	doing := Idle
	p.mu.Lock()
	if p.session != nil {
		doing = Working
	}
	p.mu.Unlock()
	if doing != p.presence.Doing {
		p.presence.Doing, p.presence.Since = doing, time.Now()
	}
	return p.presence
}

func (p *Part) close() {
	p.take(nil)
	p.presence.Doing = Leaving
	if data, err := json.Marshal(p.presence); err == nil && p.store.conn.Publish(p.store.subject(helloSubject), data) == nil {
		_ = p.store.conn.FlushTimeout(time.Second) // nobody may be there any more
	}
}

// take makes a session the one that the member is at, and ends the one before.
func (p *Part) take(s *session) {
	p.mu.Lock()
	before := p.session
	p.session = s
	p.mu.Unlock()
	if before != nil {
		before.end()
	}
}

// serve answers one order. A conductor that begins a session has given up any
// other: there is one at a time.
func (p *Part) serve(m *nats.Msg) {
	var o order
	answer := stage{Member: p.Name, Role: p.Role, Version: p.Version}
	if err := json.Unmarshal(m.Data, &o); err != nil {
		answer.Stage, answer.Error = failed, err.Error()
	} else {
		p.follow(o)
		p.mu.Lock()
		if s := p.session; s != nil {
			s.tell(&answer, o.Session)
		}
		p.mu.Unlock()
	}
	answer.UnixNS = time.Now().UnixNano()
	if data, err := json.Marshal(answer); err == nil {
		_ = m.Respond(data) // one that is not heard is asked for again
	}
}

func (p *Part) follow(o order) {
	p.mu.Lock()
	at := p.session
	p.mu.Unlock()
	ours := at != nil && at.id == o.Session
	switch {
	case o.Do == doPrepare && !ours:
		p.take(begin(p, o))
	case !ours:
	case o.Do == doStart && o.Start != nil:
		at.play(*o.Start)
	case o.Do == doFinish:
		at.finish()
	case o.Do == doEnd:
		p.take(nil)
	default:
		at.heard()
	}
}

// put stores a packed run directory as an object of the batch.
func (p *Part) put(ctx context.Context, name, packed string) error {
	objects, err := p.store.js.ObjectStore(ctx, p.store.bucket(objectBucket))
	if err != nil {
		return fmt.Errorf("batch results: %w", err)
	}
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	_, err = objects.Put(ctx, jetstream.ObjectMeta{Name: name}, f)
	return errors.Join(err, f.Close())
}
