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

// breather is the pause after a trial: twice as long for each failure in a row, up
// to a minute, so that what they hit has time to come back before every trial is
// through with its attempts.
func (w *Worker) breather() time.Duration {
	w.presence.mu.Lock()
	defer w.presence.mu.Unlock()
	pause := w.terms.Cooldown
	for range w.presence.Failures {
		if pause >= longestBreather {
			break
		}
		pause = min(2*pause, longestBreather)
	}
	return pause
}

const longestBreather = time.Minute

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
		fmt.Fprintf(w.Notice, "node %s is in quarantine: %s; it goes on when that is lifted (loadgen batch lift DIR|URL %s)\n", w.Node, why, w.Node)
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

// announce says what the worker is at now, to whoever listens, and waits for no
// answer.
func (w *Worker) announce() {
	w.presence.mu.Lock()
	data, err := json.Marshal(&w.presence.Presence)
	w.presence.mu.Unlock()
	if err == nil && w.store.conn.Publish(w.store.subject(helloSubject), data) == nil {
		_ = w.store.conn.FlushTimeout(time.Second) // nobody may be there any more
	}
}

// leave says goodbye.
func (w *Worker) leave() {
	w.doing(Leaving, "", 0)
	w.announce()
}
