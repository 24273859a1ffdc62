package worker

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// An execRuntime is the naive cold start: every worker is this binary executed
// again, with its full initialisation and its own touched heap.
type execRuntime struct {
	options Options
	spawner *spawner
	roster  roster
}

func newExec(o Options) *execRuntime {
	return &execRuntime{options: o, spawner: newSpawner()}
}

func openExec(o Options) (Runtime, error) { return newExec(o), nil }

func (r *execRuntime) Start(ctx context.Context) (*Worker, error) {
	if !r.roster.enter() {
		return nil, ErrClosed
	}
	defer r.roster.leave()
	return r.start(ctx)
}

func (r *execRuntime) start(ctx context.Context) (*Worker, error) {
	begun := time.Now()
	p, socket, err := r.execute(WorkerName)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	return r.meet(ctx, p, socket, "exec", begun)
}

// execute starts this binary as name and returns it with the node's end of its socket.
func (r *execRuntime) execute(name string) (*process, *os.File, error) {
	socket, theirs, err := socketPair(name)
	if err != nil {
		return nil, nil, err
	}
	defer unix.Close(theirs)
	pid, err := r.spawner.start(name, []string{strconv.FormatInt(r.options.Heap, 10)}, theirs)
	if err != nil {
		_ = socket.Close()
		return nil, nil, err
	}
	return r.roster.add(pid), socket, nil
}

// meet waits for a new worker's greeting and makes it a Worker. On failure the
// process is killed and reaped and the socket closed.
func (r *execRuntime) meet(ctx context.Context, p *process, socket *os.File, kind string, begun time.Time) (*Worker, error) {
	if _, err := greet(ctx, socket, r.options.ReadyTimeout); err != nil {
		return nil, fmt.Errorf("start worker: %w", r.abandon(p, socket, err))
	}
	return r.employ(p, socket, kind, begun), nil
}

// abandon ends a process that did not become ready and says how it ended.
func (r *execRuntime) abandon(p *process, socket *os.File, err error) error {
	p.kill() // a process that has ended by itself keeps its own status
	<-p.done
	_ = socket.Close()
	if r.roster.isClosed() {
		return ErrClosed
	}
	return fmt.Errorf("%w (%v)", err, p.exit)
}

// employ makes a process that has greeted a Worker.
func (r *execRuntime) employ(p *process, socket *os.File, kind string, begun time.Time) *Worker {
	_ = socket.SetDeadline(time.Time{}) // an error shows at the first Do
	w := &Worker{
		ID:      r.roster.nextID(),
		PID:     p.pid,
		Kind:    kind,
		StartUp: time.Since(begun),
		process: p,
		socket:  socket,
		buf:     make([]byte, 0, 2*frameSize),
	}
	r.roster.after(p, w.release)
	return w
}

func (r *execRuntime) Close() error {
	r.roster.close()
	r.spawner.close()
	return nil
}
