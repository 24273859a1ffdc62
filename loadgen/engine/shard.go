package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/cpu"

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

// A cut ends the sending before all is sent: what was planned until at is
// dropped for the reason, and nothing later is scheduled.
type cut struct {
	reason rundir.DropReason
	at     int64
}

// A shard is one event loop: send what is due, wait for what comes, again.
type shard struct {
	_      cpu.CacheLinePad // shards next to each other in memory would slow each other down
	run    *Run
	number int
	record *record.Shard
	stream arrival.Stream
	pace   pacer
	next   arrival.Arrival // the next request of this shard
	more   bool            // there is one
	begun  bool            // the start of the schedule has come
	late   int64           // by how much it had passed when this loop saw it
	cut    cut             // zero while requests are sent
	stats  transport.Stats // once the loop ended

	orders    atomic.Int32 // a command
	mu        sync.Mutex   // between Wake and Close: a closed transport's descriptors may be others'
	transport transport.Transport
	_         cpu.CacheLinePad
}

func newShard(r *Run, number int) *shard {
	return &shard{
		run: r, number: number, record: r.recorder.Shard(number), stream: r.config.Schedule.Stream(),
		pace: newPacer(r.config.Precision, r.config.Late),
	}
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

// burst is how many requests are sent, or dropped, before responses are looked
// at: a shard that is behind must not let them pile up, since their latency is
// measured when they are read.
const burst = 32

// leastOverrun is how long a shard may be behind at the end of the schedule and
// still send everything, however short the drain is.
const leastOverrun = time.Second

// play runs until the schedule is over and drained, or a command ends it.
func (s *shard) play() error {
	c := &s.run.config
	end := int64(s.run.duration) // of the schedule, then of the sending
	last := end + int64(max(c.Drain, leastOverrun))
	for {
		now := s.run.clock.Now()
		if !s.begun && now >= 0 {
			s.begun, s.late = true, now
		}
		switch order := command(s.orders.Load()); {
		case order == stopWaiting:
			s.cease(now)
			return nil
		case s.cut.reason != rundir.DropNone:
		case order == stopSending:
			s.cut = cut{rundir.DropStopped, now}
			end = min(end, now)
		case s.more && now >= last:
			s.cut = cut{rundir.DropLate, now}
		}
		if s.more {
			s.sendDue(now)
			end = max(end, now) // behind its schedule, the drain begins when all is sent
		}
		until := s.record.Roll(now)
		switch drained := end + int64(c.Drain); {
		case s.more && s.cut.reason != rundir.DropNone:
			until = now // there is more to drop
		case s.more:
			until = min(until, s.pace.due)
		case now >= drained, now >= end && s.record.Open() == 0:
			return nil
		case s.record.Open() == 0:
			until = min(until, end)
		default:
			until = min(until, drained)
		}
		if !s.begun {
			until = min(until, 0)
		}
		if c.Precision.Spin {
			until = now
		}
		if err := s.transport.Wait(until); err != nil {
			s.cease(now)
			return err
		}
	}
}

// sendDue sends what is due at the instant now, or drops it.
func (s *shard) sendDue(now int64) {
	for range burst {
		drop := s.cut.reason
		switch {
		case !s.more:
			return
		case drop != rundir.DropNone:
			if int64(s.next.At) > s.cut.at {
				s.more = false
				return
			}
		case s.pace.due > now:
			return
		case s.pace.expired(now):
			drop = rundir.DropLate
		}
		s.record.Scheduled()
		if drop == rundir.DropNone {
			drop = s.send()
			s.pace.sent(now)
		}
		if drop != rundir.DropNone {
			s.record.Drop(s.next, drop)
		}
		s.advance()
	}
}

func (s *shard) send() rundir.DropReason {
	drop := s.transport.Send(transport.Ticket{
		Index: s.next.Index, Phase: s.next.Phase, Function: s.next.Function, Scheduled: int64(s.next.At),
	})
	if drop == rundir.DropMaxInFlight && s.run.filesBound {
		return rundir.DropFDExhausted // the bound is the limit on open files, under another name
	}
	return drop
}

// cease ends the sending at the instant now, at once.
func (s *shard) cease(now int64) {
	if s.cut.reason == rundir.DropNone {
		s.cut = cut{rundir.DropStopped, now}
	}
	for s.more {
		s.sendDue(now)
	}
}

// advance finds the next request of this shard.
func (s *shard) advance() {
	shards, share := uint64(s.run.config.Shards), s.run.config.Share
	for {
		s.next, s.more = s.stream.Next()
		if !s.more {
			return
		}
		if share.Has(s.next.Index) && share.Position(s.next.Index)%shards == uint64(s.number) {
			s.pace.plan(int64(s.next.At))
			return
		}
	}
}
