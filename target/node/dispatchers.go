package node

import (
	"context"
	"sync"
	"time"

	"edgebench/target/httpwire"
	"edgebench/target/pool"
	"edgebench/target/worker"
)

// stopGrace is how long an idle worker may take to end by itself.
const stopGrace = 2 * time.Second

type jobKind uint8

const (
	start jobKind = iota
	execute
	stop
	ended // of an outcome only: the process is no more
)

// A job is blocking worker I/O for a dispatcher.
type job struct {
	kind   jobKind
	hand   *hand
	server *server // stop, execute
	call   *call
	queued time.Time

	path                 pool.Path
	queueWait, startWait time.Duration
}

// An outcome is what became of a job, for the reactor's thread.
type outcome struct {
	kind    jobKind
	hand    *hand
	server  *server // execute, ended
	call    *call
	process *worker.Worker // start
	service time.Duration  // execute
	wait    time.Duration  // execute: for a dispatcher
	err     error
}

// outcomes gathers what several dispatchers have done, so that a burst costs
// the reactor one call.
type outcomes struct {
	mu    sync.Mutex
	list  []outcome
	spare []outcome
}

// do hands a job to the dispatchers. The channel holds more jobs than there can
// be workers with one, save for a mass of stops; the loop does not block on those.
func (n *Node) do(j job) {
	j.queued = time.Now()
	select {
	case n.jobs <- j:
	default:
		go func() { n.run(j, new(httpwire.Response)) }()
	}
}

// dispatch is the life of a dispatcher.
func (n *Node) dispatch() {
	var answer httpwire.Response
	for j := range n.jobs {
		n.run(j, &answer)
	}
}

// run does a job. answer is scratch space of the dispatcher's.
func (n *Node) run(j job, answer *httpwire.Response) {
	switch j.kind {
	case start:
		process, err := n.runtime.Start(context.Background())
		n.report(outcome{kind: start, hand: j.hand, process: process, err: err})
	case stop:
		j.server.Stop(stopGrace)
	case execute:
		n.execute(j, answer)
	}
}

func (n *Node) execute(j job, answer *httpwire.Response) {
	begun := time.Now()
	wait := begun.Sub(j.queued)
	ticket := j.call.ticket
	result, err := j.server.Do(worker.Request{
		Service: j.call.service, Dirty: n.cfg.Dirty, Body: j.call.body,
		Deadline: begun.Add(j.call.service + n.cfg.HungAfter),
	})
	fillAnswer(answer, j, wait, result, err)
	// The outcome goes first: a client may send its next request as soon as it has
	// the answer, and must then find this worker idle.
	n.report(outcome{kind: execute, hand: j.hand, server: j.server, call: j.call, service: result.Service, wait: wait, err: err})
	n.reactor.Complete(ticket, *answer)
}

// report hands an outcome to the reactor's thread. After the loop's end nobody
// wants to know.
func (n *Node) report(o outcome) {
	n.outcomes.mu.Lock()
	n.outcomes.list = append(n.outcomes.list, o)
	first := len(n.outcomes.list) == 1
	n.outcomes.mu.Unlock()
	if first {
		n.reactor.Post(n.collect)
	}
}

// collect takes all outcomes there are.
func (n *Node) collect() {
	n.outcomes.mu.Lock()
	list := n.outcomes.list
	n.outcomes.list, n.outcomes.spare = n.outcomes.spare[:0], nil
	n.outcomes.mu.Unlock()
	for i := range list {
		o := &list[i]
		switch o.kind {
		case start:
			n.started(o.hand, o.process, o.err)
		case execute:
			n.executed(o)
		case ended:
			n.buried(o.hand, o.server)
		}
	}
	clear(list)
	n.outcomes.mu.Lock()
	n.outcomes.spare = list[:0]
	n.outcomes.mu.Unlock()
}
