package pool

import (
	"container/heap"
	"testing"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
)

// study is the node of worker-node.md: T 500 ms, idle 6 s, miss path wait
// 300 ms then one-off.
func study() Config {
	return Config{
		MaxWorkers: 64, Miss: MissOneOff, MissWait: 300 * time.Millisecond, MaxOneOffs: 64,
		IdleTimeout: 6 * time.Second, Scavenge: time.Second, Tick: 2 * time.Second,
		ServiceTime: 500 * time.Millisecond,
	}
}

func build(t testing.TB, cfg Config, name, dispatching string, params map[string]float64, workers int) *Pool {
	t.Helper()
	pol, err := policy.New(name, params, workers)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := dispatch.New(dispatching, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(cfg, pol, rule)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A planned is an input of the simulated world at an instant.
type planned struct {
	at    time.Duration
	order int
	input func(time.Duration) []Command
}

type agenda []planned

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].order < a[j].order
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(planned)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// A world carries out a pool's commands in virtual time: starts take start,
// executions take service.
type world struct {
	pool           *Pool
	start, service time.Duration
	now            time.Duration
	agenda         agenda
	order          int
	assigned       map[uint64]Command
	began          map[uint64]time.Duration // of the execution, by request
	answered       map[uint64]time.Duration
}

func newWorld(p *Pool, start, service time.Duration) *world {
	w := &world{pool: p, start: start, service: service,
		assigned: map[uint64]Command{}, began: map[uint64]time.Duration{}, answered: map[uint64]time.Duration{}}
	w.obey(p.Begin(0))
	return w
}

func (w *world) plan(at time.Duration, input func(time.Duration) []Command) {
	w.order++
	heap.Push(&w.agenda, planned{at, w.order, input})
}

func (w *world) obey(commands []Command) {
	for _, c := range commands {
		switch c.Op {
		case Start:
			w.plan(w.now+w.start, func(now time.Duration) []Command { return w.pool.Ready(now, c.Worker) })
		case Assign:
			w.assigned[c.Request], w.began[c.Request] = c, w.now
			w.plan(w.now+w.service, func(now time.Duration) []Command {
				w.answered[c.Request] = now
				return w.pool.Done(now, c.Worker, w.service)
			})
		}
	}
}

// run lets the world go on until the instant end.
func (w *world) run(end time.Duration) {
	for {
		deadline := w.pool.Deadline()
		if len(w.agenda) > 0 && w.agenda[0].at <= deadline && w.agenda[0].at <= end {
			next := heap.Pop(&w.agenda).(planned)
			w.now = next.at
			w.obey(next.input(w.now))
			continue
		}
		if deadline > end {
			return
		}
		w.now = deadline
		w.obey(w.pool.Advance(w.now))
	}
}
