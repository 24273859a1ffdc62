package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/exposition"
	"edgebench/target/fitter"
	"edgebench/target/httpwire"
	"edgebench/target/policy"
	"edgebench/target/pool"
	"edgebench/target/reactor"
	"edgebench/target/worker"
)

// A Node is a worker node. Everything below its first block belongs to the
// thread of the reactor, the one that leads where there are several.
type Node struct {
	cfg        Config
	listener   *reactor.Listener
	reactor    *reactor.Reactor
	runtime    worker.Runtime
	fitter     *fitter.Fitter // nil for policies that do not forecast
	events     events
	outcomes   outcomes
	background sync.WaitGroup // starts and ends of processes
	ready      chan struct{}
	begun      time.Time
	facts      []string

	pool    *pool.Pool
	timed   *timedPolicy
	asking  policy.Forecasting // the policy, where there is a fitter
	law     law
	zero    time.Duration // of the pool's clock, on the reactor's
	alarm   *reactor.Timer
	alarmAt time.Duration // on the pool's clock
	calls   calls
	crew    map[uint64]*hand // by the pool's worker id
	isReady bool
	fail    context.CancelCauseFunc
	errors  map[string]uint64 // answers with X-Error, by class
	times   times
	metrics exposition.Writer // used again for each scrape
	answer  httpwire.Response // scratch space
}

// Open binds the address, then starts the runtime: an address in use is told
// at once and costs no process.
func Open(cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.resolved()
	n := &Node{
		cfg: cfg, ready: make(chan struct{}), begun: time.Now(),
		crew: make(map[uint64]*hand), errors: make(map[string]uint64),
	}
	if err := n.decide(); err != nil {
		return nil, err
	}
	engine, err := n.engine()
	if err != nil {
		return nil, err
	}
	if n.listener, err = reactor.Listen(cfg.Listen); err != nil {
		return nil, err
	}
	if n.reactor, err = reactor.New(reactor.Config{DrainTimeout: cfg.DrainTimeout}, n); err != nil {
		_ = n.listener.Close()
		return nil, err
	}
	for range cfg.Reactors - 1 {
		if err := n.reactor.Follow(&front{node: n}); err != nil {
			_ = n.listener.Close()
			_ = n.reactor.Close()
			return nil, err
		}
	}
	n.runtime, err = worker.Open(cfg.Runtime, worker.Options{Heap: cfg.Heap, Work: cfg.Work, Events: n.runtimeEvent})
	if err != nil {
		_ = n.listener.Close()
		_ = n.reactor.Close()
		return nil, err
	}
	if n.asking != nil {
		n.fitter = fitter.Open(fitter.Options{Engine: engine, Answered: n.forecast, Events: n.fitterEvent})
		n.asking.Attach(n.fitter)
	}
	return n, nil
}

// decide makes what decides: policy, dispatch, pool, service law.
func (n *Node) decide() error {
	chosen, err := policy.New(n.cfg.Policy, n.cfg.Params, n.cfg.Workers)
	if err != nil {
		return err
	}
	if d, ok := chosen.(policy.Describer); ok {
		n.facts = d.Describe(n.cfg.Pool.Tick)
	}
	if miss := policy.Lookup(n.cfg.Policy).Miss; miss != "" {
		n.facts = append(n.facts, fmt.Sprintf("miss path %s is part of it, whatever --miss says", miss))
	}
	n.asking, _ = chosen.(policy.Forecasting)
	rule, err := dispatch.New(n.cfg.Dispatch, n.cfg.Seed)
	if err != nil {
		return err
	}
	n.timed = &timedPolicy{inner: chosen}
	if n.pool, err = pool.New(n.cfg.Pool, n.timed, rule); err != nil {
		return err
	}
	n.law, err = newLaw(n.cfg.ServiceLaw, n.cfg.Pool.ServiceTime, n.cfg.Seed)
	return err
}

// Addr is the address that is bound, with the real port.
func (n *Node) Addr() string { return n.listener.Addr().String() }

// Ready is closed when the workers the policy begins with are available.
func (n *Node) Ready() <-chan struct{} { return n.ready }

// Facts are what the policy states about itself, one a line.
func (n *Node) Facts() []string { return n.facts }

// About is what is known of the program that workers run, empty for this one.
func (n *Node) About() string {
	if r, ok := n.runtime.(interface{ About() string }); ok {
		return r.About()
	}
	return ""
}

// Run serves until ctx ends, then finishes what is in flight, ends every worker
// and returns nil. It fails when a worker cannot be started before the node is
// ready. It runs once, on a thread it locks.
func (n *Node) Run(ctx context.Context) error {
	ctx, n.fail = context.WithCancelCause(ctx)
	defer n.fail(nil)
	n.begin() // before the first connection can be served
	defer context.AfterFunc(ctx, func() {
		n.events.add("node_drain", func(o *object) { o.text("reason", "shutdown") })
	})()
	err := n.reactor.Run(ctx, n.listener)

	// The loop is over: nothing is decided or answered any more, and this goroutine
	// is the only one left beside those that start and end processes.
	closed := n.runtime.Close() // ends what they wait for
	if n.fitter != nil {
		n.fitter.Close()
	}
	n.background.Wait()
	n.unlink()
	if failed, ok := context.Cause(ctx).(*startError); ok {
		return failed
	}
	return errors.Join(err, closed)
}

// unlink closes the sockets that are left, those of starts that nobody took among them.
func (n *Node) unlink() {
	for _, h := range n.crew {
		for _, s := range h.servers {
			s.link.Close()
		}
	}
	for _, o := range n.outcomes.list {
		if o.link != nil {
			o.link.Close()
		}
	}
}

// begin is the pool's instant 0.
func (n *Node) begin() {
	n.zero = n.reactor.Now()
	n.alarmAt = n.pool.Deadline()
	n.alarm = n.reactor.AfterFunc(n.alarmAt, n.advance)
	n.obey(n.pool.Begin(0))
	n.checkReady()
}

func (n *Node) now() time.Duration { return n.reactor.Now() - n.zero }

// advance is the pool's timer.
func (n *Node) advance() {
	n.alarmAt = -1 // not set
	n.obey(n.pool.Advance(n.now()))
	n.checkReady()
}

// setAlarm makes the timer go off at the pool's deadline. One that goes off
// early does no harm, so it is only ever brought forward.
func (n *Node) setAlarm() {
	deadline := n.pool.Deadline()
	if n.alarmAt >= 0 && n.alarmAt <= deadline {
		return
	}
	n.alarmAt = deadline
	n.alarm.Reset(deadline - n.now())
}

// ReadyLine is the one line of JSON that says that the node is ready, and where.
func (n *Node) ReadyLine() []byte {
	var o object
	o.open()
	o.boolean("ready", true)
	o.text("addr", n.Addr())
	o.integer("pid", int64(os.Getpid()))
	o.text("policy", n.cfg.Policy)
	o.text("runtime", n.cfg.Runtime)
	o.text("work", n.cfg.Work)
	o.text("version", n.cfg.Version)
	o.close()
	return append(o.done(), '\n')
}

func (n *Node) checkReady() {
	if n.isReady || n.pool.State().Starting > 0 {
		return
	}
	n.isReady = true
	n.events.add("node_ready", func(o *object) {
		o.text("policy", n.cfg.Policy)
		o.integer("workers", int64(n.pool.State().Idle))
	})
	close(n.ready)
}

// A startError is a worker that could not be started before the node was ready.
type startError struct{ err error }

func (e *startError) Error() string { return fmt.Sprintf("before the node was ready: %v", e.err) }
func (e *startError) Unwrap() error { return e.err }

// runtimeEvent is called from goroutines of the runtime.
func (n *Node) runtimeEvent(ev worker.Event) {
	n.events.add(string(ev.Kind), func(o *object) {
		if ev.PID != 0 {
			o.integer("pid", int64(ev.PID))
		}
		if ev.StartUp != 0 {
			o.integer("start_ns", int64(ev.StartUp))
		}
		if ev.Err != nil {
			o.text("reason", ev.Err.Error())
		}
	})
}
