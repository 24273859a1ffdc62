package node

import (
	"cmp"
	"errors"
	"slices"

	"edgebench/target/pool"
	"edgebench/target/worker"
)

// A hand is a worker the pool knows by id: as many processes as it executes
// requests at once, which start together and share their fate.
type hand struct {
	id       uint64
	oneOff   bool
	starting int       // processes whose start is not yet reported
	servers  []*server // processes that live
	free     []*server // of these, those that execute nothing
	lost     bool      // the pool has been told of its end, or has asked for it
	why      string    // the pool asked for its end
}

// obey carries out what the pool asks for. It is followed by setAlarm because
// every input may have changed the deadline.
func (n *Node) obey(commands []pool.Command) {
	for _, c := range commands {
		switch c.Op {
		case pool.Assign:
			n.assign(n.crew[c.Worker], c)
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
	h := &hand{id: c.Worker, oneOff: c.OneOff, starting: max(n.cfg.Pool.Servers, 1)}
	if h.oneOff {
		h.starting = 1
	}
	n.crew[h.id] = h
	if c.OneOff {
		n.events.add("oneoff", func(o *object) { o.count("worker", h.id) })
	}
	n.events.add("worker_start", func(o *object) {
		o.count("worker", h.id)
		o.text("reason", c.Reason.String())
	})
	for range h.starting {
		n.launch(h)
	}
}

// assign gives a request to a process of the hand's that has none.
func (n *Node) assign(h *hand, c pool.Command) {
	last := len(h.free) - 1 // the pool counts: there is one
	s := h.free[last]
	h.free = h.free[:last]
	n.execute(s, execution{call: n.calls.all[c.Request], path: c.Path, queueWait: c.QueueWait, startWait: c.StartWait})
}

func (n *Node) stop(h *hand, why string) {
	if h == nil || h.lost {
		return
	}
	h.lost, h.why = true, why
	for _, s := range h.servers { // those that start are stopped when that is reported
		s.ended = why
		n.retire(s)
	}
}

// started takes the outcome of the start of one process.
func (n *Node) started(o *outcome) {
	h, process, err := o.hand, o.process, o.err
	h.starting--
	var s *server
	if err == nil {
		if s, err = n.connect(h, process, o.link); err != nil {
			process.Kill()
		}
	}
	if err != nil {
		n.events.add("error", func(o *object) {
			o.count("worker", h.id)
			o.text("reason", "start_failed")
			o.text("error", err.Error())
		})
		if !n.isReady && !errors.Is(err, worker.ErrClosed) {
			n.fail(&startError{err})
		}
		failed := !h.lost
		n.abandon(h, nil)
		n.forget(h)
		if failed {
			n.obey(n.pool.StartFailed(n.now(), h.id))
		}
		return
	}
	h.servers, h.free = append(h.servers, s), append(h.free, s)
	n.events.add("worker_ready", func(o *object) {
		o.count("worker", h.id)
		o.integer("pid", int64(process.PID))
		o.text("runtime", process.Kind)
		o.integer("start_ns", int64(process.StartUp))
	})
	n.background.Go(func() { // one parked goroutine a process is the price of hearing of its death at once
		<-process.Done()
		n.report(outcome{hand: h, server: s})
	})
	switch {
	case h.lost:
		n.retire(s)
	case h.starting == 0:
		n.obey(n.pool.Ready(n.now(), h.id))
		n.checkReady()
	}
}

// buried takes the end of a process, asked for or not.
func (n *Node) buried(h *hand, s *server) {
	exit := s.Exit()
	n.events.add("worker_end", func(o *object) {
		o.count("worker", h.id)
		o.integer("pid", int64(s.PID))
		o.text("reason", cmp.Or(s.ended, "crash"))
		o.text("exit", exit.String())
	})
	n.bury(s, exit)
	h.servers = slices.DeleteFunc(h.servers, func(x *server) bool { return x == s })
	n.lose(h, s)
	n.forget(h)
}

// lose tells the pool that a worker is gone with one of its processes, once.
func (n *Node) lose(h *hand, with *server) {
	if h.lost {
		return
	}
	n.abandon(h, with)
	n.obey(n.pool.Died(n.now(), h.id))
}

// abandon ends what else there is of a hand that has lost a process, or could not
// start it.
func (n *Node) abandon(h *hand, with *server) {
	if h.lost {
		return
	}
	h.lost, h.why = true, "together"
	for _, s := range h.servers {
		if s != with {
			s.ended = cmp.Or(s.ended, h.why)
			s.Kill()
		}
	}
}

// forget drops a hand of which nothing lives or starts any more.
func (n *Node) forget(h *hand) {
	if len(h.servers) == 0 && h.starting == 0 {
		delete(n.crew, h.id)
	}
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
