package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/fitter"
	"edgebench/target/pool"
	"edgebench/target/proctest"
	"edgebench/target/worker"
)

func TestMain(m *testing.M) {
	if os.Args[0] == worker.WorkerName && os.Getenv(garbler) != "" {
		garble()
		os.Exit(0)
	}
	worker.Main()
	fitter.Main()
	if role := os.Getenv(roleVar); role != "" {
		if err := serveRole(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A rig is a running node with real workers, and a client.
type rig struct {
	t      testing.TB
	node   *Node
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
}

// small is a node that is quick to start, whose policy interferes with nothing.
func small() Config {
	cfg := Default()
	cfg.Listen, cfg.Policy, cfg.Workers, cfg.Heap = "127.0.0.1:0", "static", 1, 1<<20
	cfg.Pool.ServiceTime, cfg.Pool.Miss, cfg.HungAfter = time.Millisecond, pool.MissQueue, time.Hour
	return cfg
}

// eachSize runs a test of a node with one reactor and of one with several.
func eachSize(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Parallel()
	for _, reactors := range []int{1, 3} {
		t.Run(strconv.Itoa(reactors), func(t *testing.T) {
			t.Parallel()
			cfg := small()
			cfg.Reactors = reactors
			test(t, cfg)
		})
	}
}

// prepare opens a node and does not run it yet.
func prepare(t testing.TB, cfg Config) *rig {
	t.Helper()
	n, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, node: n, client: &http.Client{Transport: &http.Transport{}}, ended: make(chan error, 1)}
	t.Cleanup(r.client.CloseIdleConnections)
	return r
}

// run runs the node until the test ends, or until end is called.
func (r *rig) run() *rig {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.ended <- r.node.Run(ctx) }()
	r.t.Cleanup(func() {
		stop()
		if err, ok := <-r.ended; ok && err != nil {
			r.t.Errorf("node: %v", err)
		}
	})
	select {
	case <-r.node.Ready():
	case err := <-r.ended:
		r.t.Fatalf("node ended before it was ready: %v", err)
	}
	return r
}

func boot(t testing.TB, cfg Config) *rig {
	t.Helper()
	return prepare(t, cfg).run()
}

// end stops the node and returns what Run returned.
func (r *rig) end() error {
	r.stop()
	err := <-r.ended
	close(r.ended)
	return err
}

// An answer is a response as far as the tests look at it.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (a answer) String() string {
	return fmt.Sprintf("%d %s %s err %v", a.status, a.header.Get("X-Path"), strings.TrimSpace(a.body), a.err)
}

func (r *rig) get(path string) answer {
	resp, err := r.client.Get("http://" + r.node.Addr() + path)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body), err}
}

// send gets a path in the background.
func (r *rig) send(path string) <-chan answer {
	c := make(chan answer, 1)
	go func() { c <- r.get(path) }()
	return c
}

// want checks an invocation's status, path and error class.
func (a answer) want(t *testing.T, status int, path, class string) {
	t.Helper()
	if a.err != nil || a.status != status || a.header.Get("X-Path") != path || a.header.Get("X-Error") != class {
		t.Errorf("got %v, X-Error %q; want %d, path %q, X-Error %q", a, a.header.Get("X-Error"), status, path, class)
	}
}

// told is what the tests read of /stats.
type told struct {
	Workers struct{ Starting, Idle, Busy, Oneoffs int }
	Pids    struct {
		Node, Template, Fitter int
		Workers                []int
	}
	Requests map[string]uint64
	Rejected map[string]uint64
	Started  map[string]uint64
	Errors   map[string]uint64
	Policy   struct {
		Decisions   int
		DecideP50NS int64 `json:"decide_p50_ns"`
		Fitter      struct{ Answers, Refused, Late, Ends uint64 }
		Last        struct{ Target int }
	}
	Deaths        uint64
	StartFailures uint64 `json:"start_failures"`
}

func (r *rig) stats() told {
	r.t.Helper()
	a := r.get("/stats")
	var s told
	if err := json.Unmarshal([]byte(a.body), &s); err != nil {
		r.t.Fatalf("/stats: %v: %v", err, a)
	}
	return s
}

// until looks at /stats until ok; a test that waits in vain ends by go test's timeout.
func (r *rig) until(ok func(told) bool) told {
	r.t.Helper()
	for {
		if s := r.stats(); ok(s) {
			return s
		}
	}
}

func busy(n int) func(told) bool    { return func(s told) bool { return s.Workers.Busy == n } }
func idleNow(n int) func(told) bool { return func(s told) bool { return s.Workers.Idle == n } }
func waiting(n uint64) func(told) bool {
	return func(s told) bool { return s.Requests["waiting"] == n }
}

// freeze stops the first worker's process, so that it is busy for as long as
// the test likes; the function returned lets it go on.
func (r *rig) freeze() (pid int, thaw func()) {
	r.t.Helper()
	pid = r.stats().Pids.Workers[0]
	proctest.Stop(r.t, pid)
	return pid, func() { _ = unix.Kill(pid, unix.SIGCONT) }
}

// happened reads the events; each is an object with its name in "event".
func (r *rig) happened() []map[string]any {
	r.t.Helper()
	var all []map[string]any
	for line := range bytes.Lines([]byte(r.get("/events").body)) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			r.t.Fatalf("event %q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// await waits for an event of that name with that reason.
func (r *rig) await(name, reason string) map[string]any {
	r.t.Helper()
	for {
		for _, e := range r.happened() {
			if e["event"] == name && (reason == "" || e["reason"] == reason) {
				return e
			}
		}
	}
}

// gone waits until a process is no more.
func gone(pid int) {
	for unix.Kill(pid, 0) == nil {
	}
}
