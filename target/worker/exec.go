package worker

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A program is what a runtime executes.
type program struct {
	executed, forked string // Kind of a worker that came by exec, and by fork from a template

	// argv is the command line of a process in a role: WorkerName or TemplateName.
	argv func(role string, o Options) (path string, argv []string)

	about string // version and the like, for people; may be empty
}

// self is this binary again: see Main.
func self() program {
	return program{executed: "exec", forked: "fork", argv: func(role string, o Options) (string, []string) {
		return "/proc/self/exe", []string{role, strconv.FormatInt(o.Heap, 10), o.Work}
	}}
}

// An execRuntime is the naive cold start: every worker is a program executed
// again, with its full initialisation and its own touched heap.
type execRuntime struct {
	program program
	options Options
	spawner *spawner
	roster  roster
}

func newExec(p program, o Options) *execRuntime {
	return &execRuntime{program: p, options: o, spawner: newSpawner()}
}

func openExec(o Options) (Runtime, error) { return newExec(self(), o), nil }

// About is what is known of the program, empty if nothing is worth telling.
func (r *execRuntime) About() string { return r.program.about }

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
	return r.meet(ctx, p, socket, r.program.executed, begun)
}

// execute starts the program in a role and returns it with the node's end of its socket.
func (r *execRuntime) execute(role string) (*process, *os.File, error) {
	socket, theirs, err := socketPair(role)
	if err != nil {
		return nil, nil, err
	}
	defer unix.Close(theirs)
	path, argv := r.program.argv(role, r.options)
	pid, err := r.spawner.start(path, argv, theirs)
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
		frames:  exchange{buf: make([]byte, 0, 2*frameSize)},
	}
	r.roster.after(p, w.release)
	return w
}

func (r *execRuntime) Close() error {
	r.roster.close()
	r.spawner.close()
	return nil
}
