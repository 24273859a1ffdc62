package node

import (
	"testing"
	"time"

	"edgebench/target/httpwire"
	"edgebench/target/reactor"
)

// BenchmarkInvoke is the whole way of a request that needs no time: client,
// reactor, pool, worker process and back, 16 clients at once.
func BenchmarkInvoke(b *testing.B) { benchmark(b, "/invoke") }

// BenchmarkPing is the same without pool and worker.
func BenchmarkPing(b *testing.B) { benchmark(b, "/ping") }

func benchmark(b *testing.B, path string) {
	cfg := small()
	cfg.Workers, cfg.Pool.ServiceTime = 16, 0
	r := boot(b, cfg)
	b.SetParallelism(8) // times GOMAXPROCS
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		c := dial(b, r.node.Addr(), 1)[0]
		for pb.Next() {
			if err := c.get(path); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// TestLettersAreUsedAgain counts what a hand-over costs the thread that sends it.
func TestLettersAreUsedAgain(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget at random")
	}
	f := &front{}
	var parser httpwire.Parser
	var req httpwire.Request
	if _, ev := parser.Next([]byte("GET /invoke HTTP/1.1\r\nHost: x\r\n\r\n"), &req); ev != httpwire.Head {
		t.Fatalf("event %v", ev)
	}
	if allocations := testing.AllocsPerRun(1000, func() {
		l := f.seal(&req, reactor.Ticket{})
		f.letters.Put(l)
	}); allocations != 0 {
		t.Errorf("%v allocations a letter", allocations)
	}
}

// TestInvocationAllocations counts what an invocation costs the reactor's
// thread; the worker is busy and the request only queued and cancelled.
func TestInvocationAllocations(t *testing.T) {
	noWorkers := &flaky{}
	noWorkers.failures.Store(1)
	n := &Node{cfg: small().resolved(), crew: map[uint64]*hand{}, runtime: noWorkers, isReady: true}
	if err := n.decide(); err != nil {
		t.Fatal(err)
	}
	var err error
	if n.reactor, err = reactor.New(reactor.Config{}, n); err != nil {
		t.Fatal(err)
	}
	defer n.reactor.Close()
	defer n.background.Wait()
	n.begin()
	now := time.Duration(0)
	if allocations := testing.AllocsPerRun(1000, func() {
		now += time.Microsecond
		x := n.calls.open(reactor.Ticket{}, n.law(), okBody)
		n.obey(n.pool.Arrive(now, x.id))
		if n.pool.Cancel(x.id) {
			n.calls.close(x)
		}
	}); allocations != 0 {
		t.Errorf("%v allocations an invocation", allocations)
	}
}
