package node

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"edgebench/target/pool"
	"edgebench/target/reactor"
	"edgebench/target/worker"
)

// closedGrace is how long a worker that closed its socket may take to end by
// itself, so that its own exit status is told and not our signal's.
const closedGrace = time.Second

// A server is one process of a hand. The reactor's thread writes a request to its
// socket and reads the answer when it is there: a hand-over to another thread
// would cost a round trip more than its work.
type server struct {
	*worker.Worker
	hand  *hand
	link  *worker.Link
	watch *reactor.Watch
	alarm *reactor.Timer // of the execution's deadline, then of a closed worker's grace
	job   execution
	ended string // why it was ended: what worker_end says, empty for a death of its own
}

// An execution is what a server is doing for whom; without a call, nothing.
type execution struct {
	call                 *call
	path                 pool.Path
	queueWait, startWait time.Duration
}

// connect has the reactor listen to a new process.
func (n *Node) connect(h *hand, process *worker.Worker, link *worker.Link) (s *server, err error) {
	s = &server{Worker: process, hand: h, link: link, ended: h.why}
	s.watch, err = n.reactor.Watch(link.FD(), func() { n.readable(s) })
	if err != nil {
		s.link.Close()
		return nil, err
	}
	s.alarm = n.reactor.AfterFunc(0, func() { n.overdue(s) })
	s.alarm.Stop()
	return s, nil
}

// disconnect closes the socket; an idle worker ends at that.
func (s *server) disconnect() {
	s.alarm.Stop()
	s.watch.Stop()
	s.link.Close()
}

// execute gives a server that has none a request. A worker whose socket fails is
// dead or as good as dead, which its end will tell.
func (n *Node) execute(s *server, e execution) {
	s.job = e
	s.alarm.Reset(e.call.service + n.cfg.HungAfter)
	if err := s.link.Send(worker.Request{Service: e.call.service, Dirty: n.cfg.Dirty, Body: e.call.body}); err != nil {
		n.closed(s)
	}
}

// readable takes what a server has sent.
func (n *Node) readable(s *server) {
	result, ok, err := s.link.Receive()
	switch {
	case errors.Is(err, worker.ErrDied):
		n.closed(s)
	case err != nil || ok && s.job.call == nil: // an answer nobody asked for is garbage too
		n.spoiled(s, cmp.Or(err, worker.ErrProtocol))
	case ok:
		n.executed(s, result)
	}
}

// closed waits for the end of a server whose socket is.
func (n *Node) closed(s *server) {
	s.watch.Stop()
	s.alarm.Reset(closedGrace)
}

// overdue ends a server whose time is up.
func (n *Node) overdue(s *server) {
	if s.job.call == nil || s.watch.Stopped() {
		s.Kill()
		return
	}
	n.spoiled(s, fmt.Errorf("worker %d (pid %d): %w", s.ID, s.PID, worker.ErrHung))
}

// executed answers the client and tells the pool.
func (n *Node) executed(s *server, result worker.Result) {
	s.alarm.Stop()
	n.respond(s, result, nil)
	s.hand.free = append(s.hand.free, s)
	n.obey(n.pool.Done(n.now(), s.hand.id, result.Service))
}

// spoiled ends a server that is of no further use: whatever it still does is for nobody.
func (n *Node) spoiled(s *server, err error) {
	class := errorClass(err)
	s.ended = cmp.Or(s.ended, class)
	s.watch.Stop()
	s.alarm.Stop()
	n.failed(s, class, err)
	s.Kill()
	n.lose(s.hand, s)
}

// failed answers the client of a server that did not execute its request.
func (n *Node) failed(s *server, class string, err error) {
	n.errors[class]++
	n.events.add("error", func(e *object) {
		e.count("worker", s.hand.id)
		e.integer("pid", int64(s.PID))
		e.text("reason", class)
		e.text("error", err.Error())
	})
	if s.job.call != nil {
		n.respond(s, worker.Result{}, err)
	}
}

// respond answers the client, and the server is free.
func (n *Node) respond(s *server, result worker.Result, err error) {
	n.times.add(&s.job, result, err)
	fillAnswer(&n.answer, s, result, err)
	n.reactor.Complete(s.job.call.ticket, n.answer)
	n.calls.close(s.job.call)
	s.job = execution{}
}

// bury takes a last look at the socket of a process that has ended: the answer may
// have been sent before.
func (n *Node) bury(s *server, exit worker.Exit) {
	defer s.disconnect()
	if s.job.call == nil {
		return
	}
	result, ok, _ := s.link.Receive()
	if ok {
		n.respond(s, result, nil)
		return
	}
	err := fmt.Errorf("worker %d (pid %d): %w: %v", s.ID, s.PID, worker.ErrDied, exit)
	n.failed(s, errorClass(err), err)
}
