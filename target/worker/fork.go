package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of the pause before a template that failed to start is tried again.
const (
	minRestartPause = 100 * time.Millisecond
	maxRestartPause = 10 * time.Second
)

// A forkRuntime has workers forked from a warm template whose heap they share
// copy-on-write. When the template is gone, a Start restarts it in the background and
// is itself served by exec.
type forkRuntime struct {
	exec *execRuntime // fallback; its roster and spawner serve both

	mu       sync.Mutex
	template *template // the last one started, nil before and after its life
	starting bool
	pause    time.Duration // after a failed start, doubling
	retry    time.Time     // no start before this
}

func openFork(o Options) (Runtime, error) { return openTemplate(self(), o) }

// openTemplate starts a program as a template.
func openTemplate(p program, o Options) (Runtime, error) {
	f := &forkRuntime{exec: newExec(p, o)}
	f.exec.roster.enter()
	t, err := f.launch()
	f.exec.roster.leave()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	f.template = t
	return f, nil
}

// TemplatePID is the pid of the living template, 0 while there is none.
func (f *forkRuntime) TemplatePID() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.template == nil || f.template.process.ended() {
		return 0
	}
	return f.template.process.pid
}

func (f *forkRuntime) Start(ctx context.Context) (*Worker, error) {
	if !f.exec.roster.enter() {
		return nil, ErrClosed
	}
	defer f.exec.roster.leave()
	err := errTemplateEnded
	if t := f.living(); t != nil {
		var w *Worker
		if w, err = f.fork(ctx, t); !errors.Is(err, errTemplateEnded) {
			return w, err
		}
	}
	if f.exec.roster.isClosed() {
		return nil, ErrClosed
	}
	f.exec.options.Events(Event{Kind: Fallback, Err: err})
	return f.exec.start(ctx)
}

// fork starts a worker from the template.
func (f *forkRuntime) fork(ctx context.Context, t *template) (*Worker, error) {
	begun := time.Now()
	socket, theirs, err := socketPair(WorkerName)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	pid, err := t.spawn(ctx, theirs)
	unix.Close(theirs)
	if err == nil {
		return f.exec.meet(ctx, f.exec.roster.add(pid), socket, f.exec.program.forked, begun)
	}
	// A template that died between the clone and its reply has left a worker whose pid
	// only the worker can tell. If there is none, nobody holds the other end of the
	// socket any more and the read ends at once.
	if errors.Is(err, errTemplateEnded) {
		if pid, lost := greet(context.Background(), socket, f.exec.options.ReadyTimeout); lost == nil {
			return f.exec.employ(f.exec.roster.add(pid), socket, f.exec.program.forked, begun), nil
		}
	}
	_ = socket.Close()
	return nil, fmt.Errorf("start worker: %w", err)
}

// living returns the template, or nil after having a new one started.
func (f *forkRuntime) living() *template {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.template != nil && f.template.process.ended() {
		f.template = nil
	}
	if f.template == nil && !f.starting && time.Now().After(f.retry) && f.exec.roster.enter() {
		f.starting = true
		go f.restart()
	}
	return f.template
}

func (f *forkRuntime) restart() {
	defer f.exec.roster.leave()
	t, err := f.launch()
	if err != nil && !f.exec.roster.isClosed() {
		f.exec.options.Events(Event{Kind: TemplateEnd, Err: err})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.starting = false
	if err != nil {
		f.pause = min(max(2*f.pause, minRestartPause), maxRestartPause)
		f.retry = time.Now().Add(f.pause)
		return
	}
	f.template, f.pause = t, 0
}

// launch starts a template and returns it ready to fork.
func (f *forkRuntime) launch() (*template, error) {
	begun := time.Now()
	p, control, err := f.exec.execute(TemplateName)
	if err != nil {
		return nil, fmt.Errorf("start template: %w", err)
	}
	if _, err := greet(context.Background(), control, f.exec.options.ReadyTimeout); err != nil {
		return nil, fmt.Errorf("start template: %w", f.exec.abandon(p, control, err))
	}
	t := &template{process: p, control: control, turn: make(chan struct{}, 1), patience: f.exec.options.ReadyTimeout}
	t.turn <- struct{}{}
	f.exec.options.Events(Event{Kind: TemplateStart, PID: p.pid, StartUp: time.Since(begun)})
	f.exec.roster.after(p, func() { f.mourn(t) })
	return t, nil
}

// mourn cleans up after a template that has ended.
func (f *forkRuntime) mourn(t *template) {
	<-t.turn // a spawn in progress reads to the end
	_ = t.control.Close()
	t.turn <- struct{}{}
	if !f.exec.roster.isClosed() {
		f.exec.options.Events(Event{Kind: TemplateEnd, PID: t.process.pid, Err: fmt.Errorf("%w: %v", errTemplateEnded, t.process.exit)})
	}
}

// About is what is known of the program, empty if nothing is worth telling.
func (f *forkRuntime) About() string { return f.exec.About() }

func (f *forkRuntime) Close() error { return f.exec.Close() }
