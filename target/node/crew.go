package node

import (
	"errors"
	"time"

	"edgebench/target/pool"
	"edgebench/target/worker"
)

// A hand is a worker the pool knows by id, with its process once there is one.
type hand struct {
	id      uint64
	oneOff  bool
	process *worker.Worker // nil while it starts
	ended   string         // why it was ended: what worker_end says, empty for a death of its own
	lost    bool           // the pool has been told of its end, or has asked for it
}

// obey carries out what the pool asks for. It is followed by setAlarm because
// every input may have changed the deadline.
func (n *Node) obey(commands []pool.Command) {
	for _, c := range commands {
		switch c.Op {
		case pool.Assign:
			n.do(job{kind: execute, hand: n.crew[c.Worker], call: n.calls.all[c.Request],
				path: c.Path, queueWait: c.QueueWait, startWait: c.StartWait})
		case pool.Start:
			n.start(c)
		case pool.Stop:
			n.stop(n.crew[c.Worker], c.Reason.String())
		case pool.Reject:
			n.reject(n.calls.all[c.Request], c.Reason)
		case pool.Decide:
			n.decided(c.Reason)
		}
	}
	n.setAlarm()
}

func (n *Node) start(c pool.Command) {
	h := &hand{id: c.Worker, oneOff: c.OneOff}
	n.crew[h.id] = h
	if c.OneOff {
		n.events.add("oneoff", func(o *object) { o.count("worker", h.id) })
	}
	n.events.add("worker_start", func(o *object) {
		o.count("worker", h.id)
		o.text("reason", c.Reason.String())
	})
	n.do(job{kind: start, hand: h})
}

func (n *Node) stop(h *hand, why string) {
	if h == nil || h.lost {
		return
	}
	h.lost, h.ended = true, why
	if h.process != nil { // else it is stopped when its start is reported
		n.do(job{kind: stop, hand: h})
	}
}

// started takes the outcome of a start.
func (n *Node) started(h *hand, process *worker.Worker, err error) {
	if err != nil {
		n.events.add("error", func(o *object) {
			o.count("worker", h.id)
			o.text("reason", "start_failed")
			o.text("error", err.Error())
		})
		delete(n.crew, h.id)
		if !n.isReady && !errors.Is(err, worker.ErrClosed) {
			n.fail(&startError{err})
		}
		n.obey(n.pool.StartFailed(n.now(), h.id))
		return
	}
	h.process = process
	n.events.add("worker_ready", func(o *object) {
		o.count("worker", h.id)
		o.integer("pid", int64(process.PID))
		o.text("runtime", process.Kind)
		o.integer("start_ns", int64(process.StartUp))
	})
	go func() { // one parked goroutine a worker is the price of hearing of its death at once
		<-process.Done()
		n.report(outcome{kind: ended, hand: h})
	}()
	if h.lost {
		n.do(job{kind: stop, hand: h})
		return
	}
	n.obey(n.pool.Ready(n.now(), h.id))
	n.checkReady()
}

// buried takes the end of a process, asked for or not.
func (n *Node) buried(h *hand) {
	exit := h.process.Exit()
	why := h.ended
	if why == "" {
		why = "crash"
	}
	n.events.add("worker_end", func(o *object) {
		o.count("worker", h.id)
		o.integer("pid", int64(h.process.PID))
		o.text("reason", why)
		o.text("exit", exit.String())
	})
	n.lose(h)
	delete(n.crew, h.id)
}

// lose tells the pool that a worker is gone, once.
func (n *Node) lose(h *hand) {
	if h.lost {
		return
	}
	h.lost = true
	n.obey(n.pool.Died(n.now(), h.id))
}

// executed takes the outcome of an execution; the client has its answer.
func (n *Node) executed(o *outcome) {
	n.calls.close(o.call)
	n.waits.add(o.wait)
	if o.err == nil {
		n.obey(n.pool.Done(n.now(), o.hand.id, o.service))
		return
	}
	class := errorClass(o.err)
	n.errors[class]++
	n.events.add("error", func(e *object) {
		e.count("worker", o.hand.id)
		e.integer("pid", int64(o.hand.process.PID))
		e.text("reason", class)
		e.text("error", o.err.Error())
	})
	if o.hand.ended == "" && class != "worker_died" {
		o.hand.ended = class
	}
	o.hand.process.Kill() // whatever it still does is for nobody
	n.lose(o.hand)
}

// decided logs a decision, and an alarm as an event of its own.
func (n *Node) decided(why pool.Reason) {
	d, state := n.pool.LastDecision(), n.pool.State()
	fields := func(o *object) {
		o.integer("target", int64(d.Target))
		o.integer("floor", int64(d.Floor))
		o.number("rate_rps", d.Rate)
		o.number("baseline_rps", d.Baseline)
		o.number("cusum", d.Sum)
		o.integer("workers", int64(state.Starting+state.Idle+state.Busy))
		o.integer("waiting", int64(state.Waiting))
		o.integer("service_ns", int64(state.ServiceTime))
		if d.Alarm != "" {
			o.text("alarm", d.Alarm)
		}
		if why != pool.NoReason {
			o.text("reason", why.String())
		}
	}
	if d.Alarm != "" && why == pool.NoReason {
		n.events.add("alarm", fields)
	}
	n.events.add("decision", fields)
}

// errorClass is what X-Error says about a failed execution.
func errorClass(err error) string {
	switch {
	case errors.Is(err, worker.ErrHung):
		return "worker_hung"
	case errors.Is(err, worker.ErrProtocol):
		return "worker_garbage"
	case errors.Is(err, worker.ErrStopped):
		return "worker_stopped"
	}
	return "worker_died"
}

// dispatchWaits is how long executions waited for a dispatcher.
type dispatchWaits struct {
	n          uint64
	sum, worst time.Duration
}

func (w *dispatchWaits) add(d time.Duration) {
	w.n++
	w.sum += d
	w.worst = max(w.worst, d)
}

func (w *dispatchWaits) mean() time.Duration { return w.sum / time.Duration(max(w.n, 1)) }
