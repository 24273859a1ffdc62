package node

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/worker"
)

func TestWorkerKilledMidRequest(t *testing.T) { eachSize(t, testWorkerKilledMidRequest) }

func testWorkerKilledMidRequest(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	pid, _ := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	(<-first).want(t, 502, "warm", "worker_died")
	if s := r.until(idleNow(1)); s.Deaths != 1 || s.Errors["worker_died"] != 1 {
		t.Errorf("stats: %+v", s)
	}
	if e := r.await("worker_end", "crash"); e["pid"] != float64(pid) || !strings.Contains(e["exit"].(string), "killed") {
		t.Errorf("event: %v", e)
	}
	a := r.get("/")
	a.want(t, 200, "warm", "")
	if a.header.Get("X-Worker-Id") != "2" {
		t.Errorf("served by worker %s, want its replacement", a.header.Get("X-Worker-Id"))
	}
}

func TestIdleWorkerKilled(t *testing.T) {
	t.Parallel()
	r := boot(t, small())
	pid := r.stats().Pids.Workers[0]
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until(func(s told) bool { return s.Deaths == 1 && s.Workers.Idle == 1 })
	r.get("/").want(t, 200, "warm", "")
}

func TestWorkerHangs(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.HungAfter = 50 * time.Millisecond
	r := boot(t, cfg)
	pid, _ := r.freeze()
	a := r.get("/")
	a.want(t, 504, "warm", "worker_hung")
	if e := r.await("worker_end", "worker_hung"); e["pid"] != float64(pid) {
		t.Errorf("event: %v", e)
	}
	r.until(idleNow(1))
}

// garbler makes workers of this binary greet and then answer nonsense.
const garbler = "EDGEBENCH_TEST_GARBLER"

// garble is such a worker: its socket is descriptor 3.
func garble() {
	hello := binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, 0xed6e0001), uint64(os.Getpid()))
	_, _ = unix.Write(3, append(hello, make([]byte, 16)...))
	var buf [1 << 16]byte
	for n, _ := unix.Read(3, buf[:]); n > 0; n, _ = unix.Read(3, buf[:]) {
		_, _ = unix.Write(3, []byte("I would rather not"))
	}
}

func TestWorkerAnswersGarbage(t *testing.T) {
	t.Setenv(garbler, "1")
	cfg := small()
	cfg.Runtime = "exec"
	r := boot(t, cfg)
	pid := r.stats().Pids.Workers[0]
	a := r.get("/")
	a.want(t, 502, "warm", "worker_garbage")
	if e := r.await("worker_end", "worker_garbage"); e["pid"] != float64(pid) {
		t.Errorf("event: %v", e)
	}
	if s := r.until(idleNow(1)); s.Deaths != 1 || s.Errors["worker_garbage"] != 1 || s.Pids.Workers[0] == pid {
		t.Errorf("stats: %+v", s)
	}
}

// A worker that closes its socket and stays is ended, and its request answered.
func TestWorkerThatClosesItsSocketIsEnded(t *testing.T) {
	t.Parallel()
	r := boot(t, small())
	pid, _ := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	hung := make(chan struct{})
	r.node.reactor.Post(func() { // what a closed socket does to the node, with a process that cannot end
		for _, h := range r.node.crew {
			r.node.closed(h.servers[0])
		}
		close(hung)
	})
	<-hung
	(<-first).want(t, 502, "warm", "worker_died")
	gone(pid)
	r.until(idleNow(1))
}

// Without its template the node goes on with exec until there is a new one.
func TestTemplateKilled(t *testing.T) {
	t.Parallel()
	r := boot(t, small())
	s := r.stats()
	if err := unix.Kill(s.Pids.Template, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.await("template_end", "")
	if err := unix.Kill(s.Pids.Workers[0], unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.await("exec_fallback", "")
	r.until(func(s told) bool { return s.Workers.Idle == 1 && s.Pids.Template != 0 })
	r.get("/").want(t, 200, "warm", "")
}

// flaky fails as often as it is told.
type flaky struct {
	worker.Runtime
	failures atomic.Int32
}

func (f *flaky) Start(ctx context.Context) (*worker.Worker, error) {
	if f.failures.Add(-1) >= 0 {
		return nil, errors.New("no process to be had")
	}
	return f.Runtime.Start(ctx)
}

// Failed starts are tried again after pauses, and the pool heals.
func TestStartFailuresBackOff(t *testing.T) {
	t.Parallel()
	r := prepare(t, small())
	runtime := &flaky{Runtime: r.node.runtime}
	r.node.runtime = runtime
	r.run()
	pid := r.stats().Pids.Workers[0]
	runtime.failures.Store(2)
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s := r.until(func(s told) bool { return s.StartFailures == 2 && s.Workers.Idle == 1 })
	if s.Deaths != 1 {
		t.Errorf("stats: %+v", s)
	}
	if e := r.await("error", "start_failed"); e["error"] != "no process to be had" {
		t.Errorf("event: %v", e)
	}
}

func TestStartFailsBeforeReady(t *testing.T) {
	t.Parallel()
	r := prepare(t, small())
	runtime := &flaky{Runtime: r.node.runtime}
	runtime.failures.Store(1)
	r.node.runtime = runtime
	if err := r.node.Run(t.Context()); err == nil || err.Error() != "before the node was ready: no process to be had" {
		t.Errorf("Run: %v", err)
	}
}

// What is in flight when the node is told to end is finished, and no process is left.
func TestDrain(t *testing.T) { eachSize(t, testDrain) }

func testDrain(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	template := r.stats().Pids.Template
	pid, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	second := r.send("/")
	r.until(waiting(1))
	r.stop()
	thaw()
	(<-first).want(t, 200, "warm", "")
	(<-second).want(t, 200, "queued", "")
	if err := r.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	for _, p := range []int{pid, template} {
		if unix.Kill(p, 0) == nil {
			t.Errorf("process %d is left", p)
		}
	}
}

// A node told to end under load answers every request that it took, and counts as
// many as its clients do.
func TestDrainUnderLoad(t *testing.T) { eachSize(t, testDrainUnderLoad) }

func testDrainUnderLoad(t *testing.T, cfg Config) {
	cfg.Workers = 4
	r := boot(t, cfg)
	var clients sync.WaitGroup
	var answered atomic.Uint64
	enough := make(chan struct{}, 12)
	for range cap(enough) {
		clients.Go(func() {
			for n := 0; ; n++ {
				if n == 20 {
					enough <- struct{}{}
				}
				a := r.get("/")
				if a.err != nil {
					return // refused, or the connection was closed before the request was read
				}
				a.want(t, 200, a.header.Get("X-Path"), "")
				answered.Add(1)
			}
		})
	}
	<-enough
	if err := r.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	clients.Wait()
	counts := r.node.pool.Counts()
	if counts.Arrivals != answered.Load() || counts.Cancelled != 0 {
		t.Errorf("%d answered, the node counts %d arrivals, %d of them cancelled", answered.Load(), counts.Arrivals, counts.Cancelled)
	}
}

// A drain that takes too long is cut, and the worker killed.
func TestDrainTimeout(t *testing.T) { eachSize(t, testDrainTimeout) }

func testDrainTimeout(t *testing.T, cfg Config) {
	cfg.DrainTimeout = 30 * time.Millisecond
	r := boot(t, cfg)
	pid, _ := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	if err := r.end(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if a := <-first; a.err == nil {
		t.Errorf("answered: %v", a)
	}
	gone(pid)
}

func TestBusyPort(t *testing.T) {
	t.Parallel()
	r := boot(t, small())
	cfg := small()
	cfg.Listen = r.node.Addr()
	_, err := Open(cfg)
	if !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), cfg.Listen) {
		t.Errorf("Open: %v", err)
	}
}
