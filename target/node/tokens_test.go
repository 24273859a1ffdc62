package node

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/target/proctest"
)

// One worker, three tokens, one process: requests wait inside the worker, a
// fourth in the node's queue; all are served, in the worker that admitted them.
func TestTokensWaitInsideTheWorker(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Policy, cfg.Pool.MaxWorkers = "cls", 1
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	var others []<-chan answer
	for range 3 {
		others = append(others, r.send("/"))
	}
	r.until(func(s told) bool { return s.Requests["waiting_in_worker"] == 2 && s.Requests["waiting"] == 1 })
	thaw()
	(<-first).want(t, 200, "warm", "")
	for _, c := range others {
		a := <-c
		a.want(t, 200, "queued", "")
		if a.header.Get("X-Worker-Id") != "1" || number(t, a, "X-Queue-Wait-Ns") <= 0 {
			t.Errorf("headers: %v", a.header)
		}
	}
}

// Two servers a worker are two processes that execute at the same time.
func TestServersExecuteAtOnce(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Pool.Servers = 2
	r := boot(t, cfg)
	pids := r.stats().Pids.Workers
	if len(pids) != 2 {
		t.Fatalf("processes %v, want 2", pids)
	}
	for _, pid := range pids {
		proctest.Stop(t, pid)
	}
	a, b := r.send("/"), r.send("/")
	s := r.until(func(s told) bool { return s.Requests["executing"] == 2 })
	if s.Workers.Busy != 1 || s.Workers.Idle != 0 {
		t.Errorf("workers: %+v", s.Workers)
	}
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGCONT)
	}
	for _, c := range []<-chan answer{a, b} {
		x := <-c
		x.want(t, 200, "warm", "")
		if x.header.Get("X-Worker-Id") != "1" {
			t.Errorf("worker %s, want 1", x.header.Get("X-Worker-Id"))
		}
	}
}

// The processes of a worker share its fate: what both execute fails, what waits
// inside is served by the worker that replaces it.
func TestServersShareTheirFate(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Pool.Servers, cfg.Pool.Tokens = 2, 3
	r := boot(t, cfg)
	pids := r.stats().Pids.Workers
	for _, pid := range pids {
		proctest.Stop(t, pid)
	}
	a, b := r.send("/"), r.send("/")
	r.until(func(s told) bool { return s.Requests["executing"] == 2 })
	c := r.send("/")
	r.until(func(s told) bool { return s.Requests["waiting_in_worker"] == 1 })
	if err := unix.Kill(pids[1], unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	(<-a).want(t, 502, "warm", "worker_died")
	(<-b).want(t, 502, "warm", "worker_died")
	x := <-c
	x.want(t, 200, "fresh", "")
	if x.header.Get("X-Worker-Id") != "2" {
		t.Errorf("served by worker %s, want its replacement", x.header.Get("X-Worker-Id"))
	}
	r.await("worker_end", "crash")
	r.await("worker_end", "together")
	s := r.until(func(s told) bool { return s.Workers.Idle == 1 && len(s.Pids.Workers) == 2 })
	if s.Deaths != 1 || slices.Contains(s.Pids.Workers, pids[0]) {
		t.Errorf("stats: %+v, first processes %v", s, pids)
	}
}
