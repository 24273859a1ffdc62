package pool

import (
	"math/rand/v2"
	"testing"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
)

// A ledger checks every command against what went before: the properties that
// hold whatever happens in whatever order.
type ledger struct {
	t         *testing.T
	pool      *Pool
	cfg       Config
	requests  map[uint64]string // waiting, assigned, rejected, cancelled
	starting  []uint64
	executing map[uint64][]uint64 // worker → requests
	ready     map[uint64]bool     // started, not stopped
	oneOff    map[uint64]bool
}

func (l *ledger) take(commands []Command) {
	for _, c := range commands {
		switch c.Op {
		case Start:
			l.starting = append(l.starting, c.Worker)
			l.oneOff[c.Worker] = c.OneOff
		case Assign:
			l.end(c.Request, "assigned")
			if !l.ready[c.Worker] {
				l.t.Fatalf("%+v: the worker is not ready", c)
			}
			if r := l.executing[c.Worker]; len(r) >= l.servers(c.Worker) {
				l.t.Fatalf("%+v: the worker executes requests %d", c, r)
			}
			if c.QueueWait < 0 || c.StartWait < 0 || c.Path == Warm && c.QueueWait+c.StartWait > 0 {
				l.t.Fatalf("%+v: waits", c)
			}
			if (c.Path == Fallback) != l.oneOff[c.Worker] {
				l.t.Fatalf("%+v: fallback is what one-offs do, and all they do", c)
			}
			l.executing[c.Worker] = append(l.executing[c.Worker], c.Request)
		case Stop:
			if r := l.executing[c.Worker]; len(r) > 0 && c.Reason != OneOffDone && c.Reason != Shutdown {
				l.t.Fatalf("%+v: the worker executes requests %d", c, r)
			}
			delete(l.ready, c.Worker)
		case Reject:
			l.end(c.Request, "rejected")
		}
	}
	l.check()
}

func (l *ledger) end(id uint64, how string) {
	if l.requests[id] != "waiting" {
		l.t.Fatalf("request %d: %s after it was %q", id, how, l.requests[id])
	}
	l.requests[id] = how
}

func (l *ledger) check() {
	s, c := l.pool.State(), l.pool.Counts()
	if min(s.Starting, s.Idle, s.Busy, s.OneOffs, s.Waiting, s.Bound, s.Admitted, s.Executing) < 0 {
		l.t.Fatalf("negative: %+v", s)
	}
	if n := s.Starting + s.Idle + s.Busy; n > l.cfg.MaxWorkers || s.OneOffs > l.cfg.MaxOneOffs {
		l.t.Fatalf("too many workers: %+v", s)
	}
	if s.Idle > 0 && s.Waiting > 0 {
		l.t.Fatalf("a request waits beside an idle worker: %+v", s)
	}
	tokens, executing := max(l.cfg.Tokens, 1), 0
	for _, requests := range l.executing {
		executing += len(requests)
	}
	if s.Admitted+s.Executing > tokens*s.Busy || s.Admitted > 0 && s.Executing == 0 {
		l.t.Fatalf("more than %d requests a worker, or none of them executes: %+v", tokens, s)
	}
	if s.Waiting > 0 && s.Admitted+s.Executing < tokens*(s.Idle+s.Busy) {
		l.t.Fatalf("a request waits beside a free token: %+v", s)
	}
	if n := s.Waiting + s.Admitted + s.Bound + executing; !l.pool.closed && l.pool.inside.n != n {
		l.t.Fatalf("%d requests in the node, %d counted: %+v", n, l.pool.inside.n, s)
	}
	ended := c.Cancelled
	for _, n := range c.Assigned {
		ended += n
	}
	for _, n := range c.Rejected {
		ended += n
	}
	if c.Arrivals != ended+uint64(s.Waiting+s.Admitted+s.Bound) {
		l.t.Fatalf("not conserved: %+v %+v", c, s)
	}
}

// play makes a random history of n inputs, faults included.
func (l *ledger) play(rng *rand.Rand, n int) {
	var now time.Duration
	var next uint64
	l.take(l.pool.Begin(now))
	for range n {
		now += time.Duration(rng.ExpFloat64() * float64(40*time.Millisecond))
		if rng.IntN(200) == 0 {
			now += 10 * time.Second
		}
		switch rng.IntN(10) {
		case 0, 1, 2, 3:
			next++
			l.requests[next] = "waiting"
			l.take(l.pool.Arrive(now, next))
		case 4, 5:
			l.endStart(rng, now)
		case 6, 7:
			for worker, requests := range l.executing {
				i := rng.IntN(len(requests))
				l.executing[worker] = append(requests[:i], requests[i+1:]...)
				if len(requests) == 1 {
					delete(l.executing, worker)
				}
				if l.oneOff[worker] {
					l.ready[worker] = true // until its Stop, which must come now
				}
				l.take(l.pool.Done(now, worker, time.Duration(rng.Int64N(int64(time.Second)))))
				break
			}
		case 8:
			l.fault(rng, now, next)
		default:
			l.take(l.pool.Advance(now))
			if d := l.pool.Deadline(); d <= now {
				l.t.Fatalf("deadline %v after Advance(%v)", d, now)
			}
		}
	}
	l.take(l.pool.Close())
	if s := l.pool.State(); s != (State{ServiceTime: s.ServiceTime, Decision: s.Decision}) {
		l.t.Fatalf("left after Close: %+v", s)
	}
	for id, how := range l.requests {
		if how == "waiting" {
			l.t.Fatalf("request %d was never ended", id)
		}
	}
}

func (l *ledger) endStart(rng *rand.Rand, now time.Duration) {
	if len(l.starting) == 0 {
		return
	}
	i := rng.IntN(len(l.starting))
	worker := l.starting[i]
	l.starting = append(l.starting[:i], l.starting[i+1:]...)
	if rng.IntN(5) == 0 {
		l.take(l.pool.StartFailed(now, worker))
		return
	}
	l.ready[worker] = true
	l.take(l.pool.Ready(now, worker))
}

func (l *ledger) fault(rng *rand.Rand, now time.Duration, last uint64) {
	if rng.IntN(2) == 0 && last > 0 {
		id := 1 + rng.Uint64N(last)
		if l.pool.Cancel(id) {
			l.end(id, "cancelled")
		}
		l.check()
		return
	}
	for worker := range l.ready {
		delete(l.ready, worker)
		delete(l.executing, worker)
		l.take(l.pool.Died(now, worker))
		return
	}
}

func (l *ledger) servers(worker uint64) int {
	if l.oneOff[worker] {
		return 1
	}
	return max(l.cfg.Servers, 1)
}

// TestProperties plays random histories under every policy that is quick to
// decide, every miss path and dispatch rule, with one token a worker or several.
func TestProperties(t *testing.T) {
	t.Parallel()
	var cheap []string
	for _, s := range policy.Specs() {
		if s.Cost == "O(1)" {
			cheap = append(cheap, s.Name)
		}
	}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 0))
		cfg := study()
		cfg.Miss = Miss(seed % 3)
		cfg.MaxWorkers, cfg.MaxOneOffs = 1+rng.IntN(8), 1+rng.IntN(4)
		cfg.QueueLimit = rng.IntN(3) * 5
		cfg.StartDelay = time.Duration(rng.IntN(2)) * 50 * time.Millisecond
		cfg.MissWait = time.Duration(rng.IntN(3)) * 150 * time.Millisecond
		name := cheap[rng.IntN(len(cheap))]
		cfg.Tokens = rng.IntN(5)
		cfg.Servers = rng.IntN(max(cfg.Tokens, 1) + 1)
		rule := dispatch.Specs()[rng.IntN(len(dispatch.Specs()))].Name
		l := &ledger{
			t: t, cfg: cfg, pool: build(t, cfg, name, rule, nil, 1+rng.IntN(4)),
			requests: map[uint64]string{}, executing: map[uint64][]uint64{},
			ready: map[uint64]bool{}, oneOff: map[uint64]bool{},
		}
		l.play(rng, 3000)
	}
}

// TestSteadyStateAllocations is not parallel: it counts the whole process.
func TestSteadyStateAllocations(t *testing.T) {
	w := newSteady(t)
	if n := testing.AllocsPerRun(2000, w.round); n != 0 {
		t.Errorf("%v allocations a round of two requests", n)
	}
}

func BenchmarkRound(b *testing.B) {
	w := newSteady(b)
	b.ReportAllocs()
	for b.Loop() {
		w.round()
	}
}

// steady serves pairs of requests with one worker: one warm, one queued.
type steady struct {
	pool *Pool
	now  time.Duration
	id   uint64
}

func newSteady(t testing.TB) *steady {
	cfg := study()
	cfg.Miss = MissQueue
	w := &steady{pool: build(t, cfg, "static", "", nil, 1)}
	w.pool.Begin(0)
	w.pool.Ready(0, 1)
	for range 100 {
		w.round()
	}
	return w
}

func (w *steady) round() {
	w.pool.Arrive(w.now, w.id)
	w.pool.Arrive(w.now, w.id+1)
	w.id += 2
	for range 2 {
		w.now += time.Millisecond
		w.pool.Done(w.now, 1, time.Millisecond)
		if w.pool.Deadline() <= w.now {
			w.pool.Advance(w.now)
		}
	}
}
