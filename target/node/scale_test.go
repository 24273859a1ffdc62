package node

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"edgebench/target/policy"
	"edgebench/target/smaps"
)

// A seesaw wants many workers at one tick and none at the next, and none at all
// while it rests.
type seesaw struct {
	high  int
	up    bool
	rests atomic.Bool
	ticks chan struct{}
}

func (s *seesaw) Decide(policy.Observation) policy.Decision {
	select {
	case s.ticks <- struct{}{}:
	default:
	}
	if s.up = !s.up && !s.rests.Load(); s.up {
		return policy.Decision{Target: s.high, Floor: s.high}
	}
	return policy.Decision{}
}

// scaleWorkers is for a long run: go test ./target/node -run Scale -scale-workers 10000.
var scaleWorkers = flag.Uint64("scale-workers", 1500, "workers that the test of scale cycles starts and stops")

// Workers started and stopped through the pool let no request down and leave nothing behind: no
// descriptor, no process, no memory in the node or in the template. It counts what
// the whole process has, so it does not run beside other tests.
func TestScaleCyclesLeaveNothing(t *testing.T) {
	total := *scaleWorkers
	cfg := small()
	cfg.Policy, cfg.Workers, cfg.Heap = "reactive", 0, 4096
	cfg.Pool.Tick, cfg.Pool.Scavenge, cfg.Pool.IdleTimeout = 10*time.Millisecond, time.Millisecond, time.Millisecond
	r := prepare(t, cfg)
	s := &seesaw{high: 60, ticks: make(chan struct{})}
	r.node.timed.inner = s
	r.run()

	r.untilStarted(s, total/5) // stacks, buffers and maps have grown by then
	before := r.rest(s)
	r.untilStarted(s, total)
	after := r.rest(s)
	t.Logf("after %d workers %+v, after %d %+v", total/5, before, total, after)
	if s := r.stats(); s.Deaths != 0 || s.StartFailures != 0 || len(s.Errors) != 0 {
		t.Errorf("stats: %+v", s)
	}
	if after.descriptors != before.descriptors || after.children != 1 {
		t.Errorf("%d descriptors, %d before; %d children, want the template alone", after.descriptors, before.descriptors, after.children)
	}
	// 10,000 leaks of 1 kB would show; the ring of events still fills. The race
	// detector's own memory grows with the goroutines there were.
	if raceEnabled {
		return
	}
	if after.template > before.template+1<<20 || after.node > before.node+8<<20 {
		t.Errorf("private memory of node and template %d and %d bytes, before %d and %d", after.node, after.template, before.node, before.template)
	}
}

// untilStarted looks once a tick whether so many workers have been started. Clients
// ask all the while, and none of them may be let down.
func (r *rig) untilStarted(s *seesaw, n uint64) {
	var clients sync.WaitGroup
	defer clients.Wait()
	enough := make(chan struct{})
	defer close(enough)
	for range 2 {
		clients.Go(func() {
			for {
				select {
				case <-enough:
					return
				default:
				}
				if a := r.get("/"); a.err != nil || a.status != 200 {
					r.t.Errorf("while workers come and go: %v", a)
					return
				}
			}
		})
	}
	for all := uint64(0); all < n; {
		<-s.ticks
		all = 0
		for _, count := range r.stats().Started {
			all += count
		}
	}
}

// holdings are what a node at rest has.
type holdings struct {
	descriptors, children int
	node, template        int64 // private memory, bytes
}

// rest waits until every worker is gone and looks at what is left.
func (r *rig) rest(s *seesaw) holdings {
	r.t.Helper()
	s.rests.Store(true)
	defer s.rests.Store(false)
	told := r.until(func(s told) bool {
		return s.Workers.Starting == 0 && s.Workers.Idle == 0 && len(s.Pids.Workers) == 0 && children(r.t) == 1
	})
	debug.FreeOSMemory()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		r.t.Fatal(err)
	}
	node, err := smaps.Read(told.Pids.Node)
	if err != nil {
		r.t.Fatal(err)
	}
	template, err := smaps.Read(told.Pids.Template)
	if err != nil {
		r.t.Fatal(err)
	}
	return holdings{descriptors: len(files), children: children(r.t), node: node.USS, template: template.USS}
}

// children counts this process's children, zombies among them.
func children(t testing.TB) int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skipf("this kernel does not list children: %v", err)
	}
	n := 0
	for _, file := range lists {
		text, _ := os.ReadFile(file) // a thread that ended has none
		n += len(strings.Fields(string(text)))
	}
	return n
}
