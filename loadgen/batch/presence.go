package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// presence is what a worker says of itself, kept for its heartbeats.
type presence struct {
	mu sync.Mutex
	Presence
	isolated bool // told of its quarantine
}

// doing notes what the worker is at; the next heartbeat tells.
func (w *Worker) doing(what, trial string, attempt int) {
	p := &w.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Doing != what || p.Trial != trial {
		p.Doing, p.Trial, p.Attempt, p.Since = what, trial, attempt, time.Now()
	}
}

func (w *Worker) failed() {
	w.presence.mu.Lock()
	defer w.presence.mu.Unlock()
	w.presence.Failures++
}

func (w *Worker) recovered() {
	w.presence.mu.Lock()
	defer w.presence.mu.Unlock()
	w.presence.Failures = 0
}

// isolate takes note of the quarantine of the worker's node: after it, failures
// count anew.
func (w *Worker) isolate(why string) {
	w.recovered()
	if !w.presence.isolated {
		w.presence.isolated = true
		fmt.Fprintf(w.Notice, "node %s is in quarantine: %s; it goes on when that is lifted (loadgen batch lift)\n", w.Node, why)
	}
}

// say tells the coordinator how things are, and returns its order.
func (w *Worker) say(ctx context.Context) (Order, error) {
	w.presence.mu.Lock()
	p := w.presence.Presence
	w.presence.Cleared = nil
	w.presence.mu.Unlock()
	return w.store.hello(ctx, p)
}

// clear looks for processes that an earlier run left on the node, and ends them.
// A node that does not come clean makes no trial.
func (w *Worker) clear(ctx context.Context) error {
	if w.Clear == nil {
		return nil
	}
	ended, err := w.Clear(ctx)
	w.presence.mu.Lock()
	w.presence.Cleared = append(w.presence.Cleared, ended...)
	w.presence.mu.Unlock()
	return err
}

// hinder says why no trial is made for now, once for each reason.
func (w *Worker) hinder(ctx context.Context, why error) {
	if w.presence.Doing != Hindered+why.Error() {
		fmt.Fprintf(w.Notice, "no trial is begun: %v\n", why)
	}
	w.doing(Hindered+why.Error(), "", 0)
	pause(ctx, poll)
}

// leave says goodbye, to whoever listens.
func (w *Worker) leave() {
	w.doing(Leaving, "", 0)
	data, err := json.Marshal(&w.presence.Presence)
	if err == nil && w.store.conn.Publish(w.store.subject(helloSubject), data) == nil {
		_ = w.store.conn.FlushTimeout(time.Second) // nobody may be there any more
	}
}
