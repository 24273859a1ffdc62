package worker

import "sync"

// A roster holds the living processes of a runtime, so that closing the runtime
// ends them all: those in use, and those whose start is in progress.
type roster struct {
	mu      sync.Mutex
	closed  bool
	living  map[*process]struct{}
	lastID  int64
	pending sync.WaitGroup // starts in progress, and what follows an end
}

// enter begins a start; false means that the runtime is closed.
func (r *roster) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.pending.Add(1)
	return true
}

func (r *roster) leave() { r.pending.Done() }

// add watches pid for as long as it lives. It is called between enter and
// leave. In a closed runtime the process is killed at once, and its start sees it die.
func (r *roster) add(pid int) *process {
	p := watch(pid)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		p.kill()
	}
	if r.living == nil {
		r.living = map[*process]struct{}{}
	}
	r.living[p] = struct{}{}
	r.after(p, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.living, p)
	})
	return p
}

// after runs f in a goroutine once p is reaped; close waits for it. Like add it
// is called between enter and leave.
func (r *roster) after(p *process, f func()) {
	r.pending.Go(func() {
		<-p.done
		f()
	})
}

func (r *roster) nextID() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastID++
	return r.lastID
}

// close kills every process and waits until all are reaped and released.
func (r *roster) close() {
	r.mu.Lock()
	r.closed = true
	for p := range r.living {
		p.kill()
	}
	r.mu.Unlock()
	r.pending.Wait()
}

func (r *roster) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}
