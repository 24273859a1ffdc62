package node

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"edgebench/target/dispatch"
	"edgebench/target/policy"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// A rival is the same node as one would build it on net/http: the same pool,
// policy, dispatch, workers and response headers, behind a lock, with a goroutine
// a connection that executes the request itself. It has no events, no one-offs and
// no care for workers that fail: a benchmark of the common path needs none, and
// without them it can only be quicker.
type rival struct {
	runtime worker.Runtime
	begun   time.Time
	service time.Duration

	mu     sync.Mutex
	pool   *pool.Pool
	crew   map[uint64]*worker.Worker
	waits  map[uint64]chan pool.Command // of requests, until they have a worker
	last   uint64
	starts sync.WaitGroup
}

func serveRival(ctx context.Context, cfg Config) error {
	cfg = cfg.resolved()
	chosen, err := policy.New(cfg.Policy, cfg.Params, cfg.Workers)
	if err != nil {
		return err
	}
	rule, err := dispatch.New(cfg.Dispatch, cfg.Seed)
	if err != nil {
		return err
	}
	r := &rival{begun: time.Now(), service: cfg.Pool.ServiceTime, crew: map[uint64]*worker.Worker{}, waits: map[uint64]chan pool.Command{}}
	if r.pool, err = pool.New(cfg.Pool, chosen, rule); err != nil {
		return err
	}
	if r.runtime, err = worker.Open(cfg.Runtime, worker.Options{Heap: cfg.Heap}); err != nil {
		return err
	}
	defer r.runtime.Close()
	r.mu.Lock()
	r.obey(r.pool.Begin(0))
	r.mu.Unlock()
	r.starts.Wait()
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return err
	}
	s := http.Server{Handler: r}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	go r.tick(ctx)
	fmt.Println(l.Addr())
	if err := s.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func (r *rival) now() time.Duration { return time.Since(r.begun) }

func (r *rival) tick(ctx context.Context) {
	for ctx.Err() == nil {
		r.mu.Lock()
		r.obey(r.pool.Advance(r.now()))
		wait := r.pool.Deadline() - r.now()
		r.mu.Unlock()
		time.Sleep(wait)
	}
}

// obey is called with the lock held.
func (r *rival) obey(commands []pool.Command) {
	for _, c := range commands {
		switch c.Op {
		case pool.Assign:
			r.waits[c.Request] <- c
		case pool.Start:
			r.starts.Go(func() { r.start(c.Worker) })
		}
	}
}

func (r *rival) start(id uint64) {
	w, err := r.runtime.Start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.crew[id] = w
	r.obey(r.pool.Ready(r.now(), id))
}

func (r *rival) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	assigned := make(chan pool.Command, 1)
	r.mu.Lock()
	r.last++
	id := r.last
	r.waits[id] = assigned
	r.obey(r.pool.Arrive(r.now(), id))
	r.mu.Unlock()
	c := <-assigned
	r.mu.Lock()
	process := r.crew[c.Worker]
	delete(r.waits, id)
	r.mu.Unlock()
	result, err := process.Do(worker.Request{Service: r.service})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	r.mu.Lock()
	r.obey(r.pool.Done(r.now(), c.Worker, result.Service))
	r.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", textType)
	h.Set("X-Path", c.Path.String())
	h.Set("X-Cold-Start", strconv.FormatBool(c.Path.Cold()))
	h.Set("X-Worker-Id", strconv.FormatUint(c.Worker, 10))
	h.Set("X-Queue-Wait-Ns", strconv.FormatInt(int64(c.QueueWait), 10))
	h.Set("X-Start-Wait-Ns", strconv.FormatInt(int64(c.StartWait), 10))
	h.Set("X-Service-Ns", strconv.FormatInt(int64(result.Service), 10))
	_, _ = w.Write(okBody)
}
