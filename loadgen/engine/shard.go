package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/record"
	"edgebench/loadgen/transport"
	"edgebench/profiles/arrival"
	"edgebench/target/epoll"
)

// A command tells a running shard to end sooner than its schedule does. Later
// ones outrank earlier ones.
type command int32

const (
	carryOn command = iota
	stopSending
	stopWaiting
)

// A shard is one event loop: send what is due, wait for what comes, again.
type shard struct {
	run    *Run
	number int
	record *record.Shard
	stream arrival.Stream
	next   arrival.Arrival // the next request of this shard
	more   bool            // there is one
	orders atomic.Int32    // a command
	stats  transport.Stats // once the loop ended

	mu        sync.Mutex // between Wake and Close: a closed transport's descriptors may be others'
	transport transport.Transport
}

func newShard(r *Run, number int) *shard {
	return &shard{run: r, number: number, record: r.recorder.Shard(number), stream: r.config.Schedule.Stream()}
}

// obey is called by other goroutines.
func (s *shard) obey(c command) {
	for {
		was := s.orders.Load()
		if command(was) >= c || s.orders.CompareAndSwap(was, int32(c)) {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.transport != nil {
		_ = s.transport.Wake() // an error means it is waking already, or closed
	}
}

// live opens the transport, tells so, and plays the schedule once start is
// closed. The goroutine keeps its thread to the end, so that the thread and
// its timer slack end with it.
func (s *shard) live(ctx context.Context, ready chan<- error, start <-chan struct{}) error {
	runtime.LockOSThread()
	// 50 µs of slack would be added to every wait of a few; without the right
	// to change it the lag shows it.
	_ = epoll.TimerSlack(1)
	defer func() { s.record.Close(s.run.clock.Now()) }()
	c := s.run.config
	tr, err := c.Open(ctx, transport.Options{
		Clock: s.run.clock, Observer: s.record,
		Connections: share(c.MaxInFlight, c.Shards, s.number),
		Warm:        share(c.Connections, c.Shards, s.number),
	})
	if err != nil {
		ready <- err
		return nil
	}
	s.mu.Lock()
	s.transport = tr
	s.mu.Unlock()
	s.advance()
	ready <- nil
	<-start
	if !s.run.failed {
		err = s.play()
	}
	if closeErr := s.close(); err == nil {
		err = closeErr
	}
	return err
}

func (s *shard) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	s.stats, err = s.transport.Close()
	s.transport = nil
	return err
}

// burst is how many requests are sent before responses are looked at: a shard
// that is behind must not let them pile up, since their latency is measured
// when they are read.
const burst = 32

// play runs until the schedule is over and drained, or a command ends it.
func (s *shard) play() error {
	end := int64(s.run.duration) // of the schedule, then of the sending
	for {
		now := s.run.clock.Now()
		switch order := command(s.orders.Load()); {
		case order == stopWaiting:
			s.cease(now)
			return nil
		case order == stopSending && s.more:
			s.cease(now)
			end = now
		case order == stopSending:
			end = min(end, now)
		}
		if s.more {
			s.sendDue(now)
			end = max(end, now) // behind its schedule, the drain begins when all is sent
		}
		until := s.record.Roll(now)
		switch drained := end + int64(s.run.config.Drain); {
		case s.more:
			until = min(until, int64(s.next.At))
		case now >= drained, now >= end && s.record.Open() == 0:
			return nil
		case s.record.Open() == 0:
			until = min(until, end)
		default:
			until = min(until, drained)
		}
		if err := s.transport.Wait(until); err != nil {
			s.cease(now)
			return err
		}
	}
}

// sendDue sends what is due at the instant now.
func (s *shard) sendDue(now int64) {
	for range burst {
		if !s.more || int64(s.next.At) > now {
			return
		}
		s.record.Scheduled()
		ticket := transport.Ticket{Index: s.next.Index, Phase: s.next.Phase, Scheduled: int64(s.next.At)}
		if drop := s.transport.Send(ticket); drop != rundir.DropNone {
			s.record.Drop(ticket.Index, ticket.Phase, ticket.Scheduled, drop)
		}
		s.advance()
	}
}

// cease ends the sending at the instant now.
func (s *shard) cease(now int64) {
	for ; s.more && int64(s.next.At) <= now; s.advance() {
		s.record.Scheduled()
		s.record.Drop(s.next.Index, s.next.Phase, int64(s.next.At), rundir.DropStopped)
	}
	s.more = false
}

// advance finds the next request of this shard.
func (s *shard) advance() {
	shards := uint64(s.run.config.Shards)
	for {
		s.next, s.more = s.stream.Next()
		if !s.more || s.next.Index%shards == uint64(s.number) {
			return
		}
	}
}
