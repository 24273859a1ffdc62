package reactor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"edgebench/target/epoll"
	"edgebench/target/httpwire"
)

// A Reactor is one event loop and its connections, or leads several loops.
type Reactor struct {
	handler  Handler
	canceler Canceler // the handler again, nil where it does not want to know
	config   Config
	counters counters
	inbox    inbox
	spare    batch

	poller   *epoll.Poller
	listener *Listener
	reserve  int // a descriptor kept to be given up when there is none left, -1 without
	paused   bool

	begin time.Time
	now   time.Duration // when the loop woke, since begin
	date  dateLine

	conns   []*conn
	free    []uint32 // places in conns that are closed
	again   []*conn  // to be pumped before the loop waits
	turn    []*conn  // the other half of again
	shared  []byte   // read into by connections that have nothing left over
	buffers buffers

	watches     []*Watch
	freeWatches []uint32 // places in watches that have ended

	timers     timerHeap
	timerCount uint64
	reading    deadlines // requests begun and not finished, and lingering connections
	writing    deadlines // responses that the client does not take

	draining bool
	cut      bool // the drain took too long

	loopID    uint32     // the loop's place in loops of the one that leads
	loops     []*Reactor // itself, and the followers it leads
	following int        // followers that have not ended
	failure   error      // of followers
	threads   sync.WaitGroup
}

// New makes a reactor. Complete, Post and AfterFunc may be used before Run.
func New(config Config, handler Handler) (*Reactor, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	poller, err := epoll.Open(eventsPerWait)
	if err != nil {
		return nil, fmt.Errorf("reactor: %w", err)
	}
	config = config.withDefaults()
	r := &Reactor{
		handler: handler,
		config:  config,
		poller:  poller,
		reserve: -1,
		begin:   time.Now(),
		shared:  make([]byte, readSize),
		reading: deadlines{after: config.RequestTimeout},
		writing: deadlines{after: config.WriteTimeout},
	}
	r.loops = []*Reactor{r}
	r.canceler, _ = handler.(Canceler)
	r.inbox.wake = poller.Wake
	return r, nil
}

// Run serves the listener's connections until ctx ends, then drains: no new
// connections, what is in flight is answered with Connection: close, idle
// connections are closed. It returns when no connection is left, or the drain
// timeout has passed and they were cut. It runs once, on a thread it locks, and
// closes the listener and the reactor.
//
// The thread waits in the kernel and not in Go's own poller, so the scheduler
// takes its processor back only when it notices: a program whose other
// goroutines matter needs GOMAXPROCS of 2 or more, even on one core.
func (r *Reactor) Run(ctx context.Context, l *Listener) error {
	defer r.Close()
	defer l.Close()
	r.listener = l
	r.openReserve()
	defer r.closeReserve()
	if err := r.poller.Add(l.fd, epoll.In, listenToken); err != nil {
		return fmt.Errorf("reactor: %w", err)
	}
	r.lead()
	defer context.AfterFunc(ctx, func() { r.Post(r.drain) })()
	err := r.live()
	return errors.Join(err, r.failure)
}

// live is the life of a loop, on a thread it locks.
func (r *Reactor) live() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := epoll.TimerSlack(1)
	if err == nil {
		defer func() { _ = epoll.TimerSlack(0) }()
		err = r.turns()
	}
	r.dismiss()
	r.closeInbox() // first, as a connection may still be on its way to us
	for _, c := range r.conns {
		if c.open {
			r.drop(c)
		}
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("reactor: %w", err)
	}
	return nil
}

// Close releases a reactor that never ran, with its followers, and does nothing
// after Run. What was posted and not run yet is run.
func (r *Reactor) Close() error {
	for _, f := range r.followers() {
		_ = f.Close()
	}
	r.closeInbox()
	poller := r.poller
	if poller == nil {
		return nil
	}
	r.poller = nil
	return poller.Close()
}

// closeInbox runs what was posted; what comes later is not taken.
func (r *Reactor) closeInbox() {
	left := r.inbox.take(batch{}, true)
	r.counters.stale.Add(uint64(len(left.answers)))
	for _, call := range left.calls {
		call()
	}
}

// Complete answers a ticket. Any goroutine may call it; the slices of r are
// copied before it returns. An answer to a request that is no more, or answered
// already, is dropped and counted as stale.
func (r *Reactor) Complete(t Ticket, response httpwire.Response) {
	member := r.loops[t.loop]
	if !member.inbox.complete(t, response) {
		member.counters.stale.Add(1)
	}
}

// Post runs call on the loop's thread, in the order of posting. Any goroutine
// may call it. It reports false, and call will not run, after Run has returned.
func (r *Reactor) Post(call func()) bool { return r.inbox.post(call) }

// Now is the time since the reactor was made, on the monotonic clock.
func (r *Reactor) Now() time.Duration { return time.Since(r.begin) }

// dateLine is the Date header, made once a second and only when one is written.
type dateLine struct {
	line  []byte
	until time.Duration
}

func (r *Reactor) dateHeader() []byte {
	if d := &r.date; r.now >= d.until || len(d.line) == 0 {
		wall := time.Now()
		d.line = httpwire.AppendDate(d.line[:0], wall)
		d.until = r.now + time.Second - time.Duration(wall.Nanosecond())
	}
	return r.date.line
}
