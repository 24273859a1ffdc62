package node

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"edgebench/target/pool"
	"edgebench/target/worker"
)

func TestWarm(t *testing.T) { eachSize(t, testWarm) }

func testWarm(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	for _, path := range []string{"/invoke", "/", "/any/thing?x=1"} {
		a := r.get(path)
		a.want(t, 200, "warm", "")
		for name, want := range map[string]string{
			"X-Cold-Start": "false", "X-Worker-Id": "1", "X-Queue-Wait-Ns": "0", "X-Start-Wait-Ns": "0",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", path, name, got, want)
			}
		}
		if ns := number(t, a, "X-Service-Ns"); ns < int64(time.Millisecond) {
			t.Errorf("%s: service %d ns, want at least a millisecond", path, ns)
		}
	}
	if a := r.get("/ping"); a.status != 200 || a.body != "ok\n" || a.header.Get("X-Path") != "" {
		t.Errorf("/ping: %v", a)
	}
}

func number(t *testing.T, a answer, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(a.header.Get(name), 10, 64)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return n
}

func TestQueued(t *testing.T) { eachSize(t, testQueued) }

func testQueued(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	second := r.send("/")
	r.until(waiting(1))
	thaw()
	(<-first).want(t, 200, "warm", "")
	a := <-second
	a.want(t, 200, "queued", "")
	if number(t, a, "X-Queue-Wait-Ns") <= 0 || number(t, a, "X-Start-Wait-Ns") != 0 || a.header.Get("X-Cold-Start") != "false" {
		t.Errorf("waits: %v", a.header)
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Pool.Miss, cfg.Pool.MissWait = pool.MissOneOff, 20*time.Millisecond
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	a := r.get("/")
	a.want(t, 200, "fallback", "")
	if a.header.Get("X-Cold-Start") != "true" || a.header.Get("X-Worker-Id") != "2" ||
		number(t, a, "X-Queue-Wait-Ns") < int64(cfg.Pool.MissWait) || number(t, a, "X-Start-Wait-Ns") <= 0 {
		t.Errorf("headers: %v", a.header)
	}
	r.await("oneoff", "")
	r.await("worker_end", "oneoff_done")
	thaw()
	(<-first).want(t, 200, "warm", "")
	if s := r.until(idleNow(1)); s.Workers.Oneoffs != 0 || len(s.Pids.Workers) != 1 {
		t.Errorf("left of the one-off: %+v", s)
	}
}

func TestFresh(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Pool.Miss, cfg.Pool.MaxWorkers, cfg.Pool.StartDelay = pool.MissSpawn, 2, 30*time.Millisecond
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	a := r.get("/")
	a.want(t, 200, "fresh", "")
	if a.header.Get("X-Cold-Start") != "true" || number(t, a, "X-Start-Wait-Ns") < int64(cfg.Pool.StartDelay) {
		t.Errorf("headers: %v", a.header)
	}
	thaw()
	(<-first).want(t, 200, "warm", "")
}

func TestQueueFull(t *testing.T) { eachSize(t, testQueueFull) }

func testQueueFull(t *testing.T, cfg Config) {
	cfg.Pool.QueueLimit = 1
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	second := r.send("/")
	r.until(waiting(1))
	a := r.get("/")
	a.want(t, 503, "", "queue_full")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	thaw()
	(<-first).want(t, 200, "warm", "")
	(<-second).want(t, 200, "queued", "")
}

// Clients that reset their connection leave the queue, whichever reactor had them.
func TestClientLeaves(t *testing.T) { eachSize(t, testClientLeaves) }

func testClientLeaves(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	_, thaw := r.freeze()
	first := r.send("/")
	r.until(busy(1))
	leaving := make([]net.Conn, 2*cfg.Reactors)
	for i := range leaving {
		c, err := net.Dial("tcp", r.node.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		leaving[i] = c
	}
	n := uint64(len(leaving))
	r.until(waiting(n))
	for _, c := range leaving {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
	r.until(func(s told) bool { return s.Requests["cancelled"] == n && s.Requests["waiting"] == 0 })
	thaw()
	(<-first).want(t, 200, "warm", "")
	r.get("/").want(t, 200, "warm", "")
}

// Idle workers are reaped down to the floor of the policy, here 0.
func TestScavenge(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Policy, cfg.Workers = "reactive", 3
	cfg.Pool.IdleTimeout, cfg.Pool.Scavenge = 0, 5*time.Millisecond
	r := boot(t, cfg)
	s := r.until(idleNow(0))
	if len(s.Pids.Workers) > 3 {
		t.Errorf("workers: %+v", s)
	}
	r.until(func(s told) bool { return len(s.Pids.Workers) == 0 })
	if e := r.await("worker_end", "idle"); e["exit"] == nil || e["pid"] == nil {
		t.Errorf("event: %v", e)
	}
}

// The load of many clients at once is conserved: every request has one answer,
// and the node's counts are those of the clients.
func TestConservation(t *testing.T) { eachSize(t, testConservation) }

func testConservation(t *testing.T, cfg Config) {
	cfg.Policy, cfg.Workers, cfg.ServiceLaw = "ewma", 2, "exponential"
	cfg.Pool.Miss, cfg.Pool.MissWait = pool.MissOneOff, 2*time.Millisecond
	cfg.Pool.Tick, cfg.Pool.Scavenge, cfg.Pool.IdleTimeout = 20*time.Millisecond, 10*time.Millisecond, 20*time.Millisecond
	r := boot(t, cfg)
	const clients, each = 16, 25
	answers := make(chan answer, clients*each)
	for range clients {
		go func() {
			for range each {
				answers <- r.get("/")
			}
		}()
	}
	seen := map[string]uint64{}
	for range clients * each {
		a := <-answers
		if a.status != 200 {
			t.Fatalf("answer: %v", a)
		}
		seen[a.header.Get("X-Path")]++
	}
	s := r.stats()
	sum := uint64(0)
	for p := range pool.NumPaths {
		if got := s.Requests[p.String()]; got != seen[p.String()] {
			t.Errorf("%s: node %d, clients %d", p, got, seen[p.String()])
		}
		sum += seen[p.String()]
	}
	if sum != clients*each || s.Requests["arrivals"] != sum {
		t.Errorf("%d answered, %d arrived", sum, s.Requests["arrivals"])
	}
	if s.Policy.Decisions > 0 && s.Policy.DecideP50NS <= 0 {
		t.Errorf("decisions cost nothing: %+v", s.Policy)
	}
	t.Logf("paths %v, decisions %d at %d ns", seen, s.Policy.Decisions, s.Policy.DecideP50NS)
}

// Decisions and alarms are events, and say what they were made from.
func TestDecisionEvents(t *testing.T) {
	t.Parallel()
	cfg := small()
	cfg.Policy, cfg.Params = "ewma", map[string]float64{"k": 0, "h": 0.001}
	cfg.Pool.Tick = 10 * time.Millisecond
	r := boot(t, cfg)
	r.get("/").want(t, 200, "warm", "")
	alarm := r.await("alarm", "")
	for _, key := range []string{"target", "floor", "rate_rps", "baseline_rps", "cusum", "workers", "waiting", "service_ns"} {
		if _, number := alarm[key].(float64); !number {
			t.Errorf("%s is %v in %v", key, alarm[key], alarm)
		}
	}
	if alarm["alarm"] != "fixed" || alarm["cusum"].(float64) <= 0 {
		t.Errorf("alarm: %v", alarm)
	}
	r.await("decision", "")
}

// What a worker cannot take is refused before it is an invocation.
func TestBodyTooLarge(t *testing.T) { eachSize(t, testBodyTooLarge) }

func testBodyTooLarge(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	for size, status := range map[int]int{worker.MaxBody: 200, worker.MaxBody + 1: 413} {
		resp, err := r.client.Post("http://"+r.node.Addr()+"/invoke", "application/octet-stream", bytes.NewReader(make([]byte, size)))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("body of %d bytes: status %d, want %d", size, resp.StatusCode, status)
		}
	}
	if s := r.stats(); s.Requests["arrivals"] != 1 {
		t.Errorf("%d arrivals, want 1", s.Requests["arrivals"])
	}
}

func TestEventsParameter(t *testing.T) { eachSize(t, testEventsParameter) }

func testEventsParameter(t *testing.T, cfg Config) {
	r := boot(t, cfg)
	if a := r.get("/events?after=soon"); a.status != 400 {
		t.Errorf("after=soon: %v", a)
	}
	a := r.get("/events?x=1&after=1")
	if a.status != 200 || !strings.HasPrefix(a.body, `{"seq":2,`) || a.header.Get("X-Events-Lost") != "0" || a.header.Get("X-Events-Last") == "" {
		t.Errorf("after=1: %v %v", a, a.header)
	}
}
