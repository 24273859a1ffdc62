package node

import (
	"context"
	"sync"
	"time"

	"edgebench/target/worker"
)

// stopGrace is how long an idle worker may take to end by itself.
const stopGrace = 2 * time.Second

// An outcome is what a goroutine has to tell the reactor's thread of a process: it
// has started, or could not, or it has ended.
type outcome struct {
	hand    *hand
	server  *server        // of an end
	process *worker.Worker // of a start
	link    *worker.Link
	err     error
}

// outcomes gathers what several goroutines have to tell, so that a burst costs
// the reactor one call.
type outcomes struct {
	mu    sync.Mutex
	list  []outcome
	spare []outcome
}

// launch starts a process in the background. Starts that are under way are as many
// as the pool has workers starting, which it bounds.
func (n *Node) launch(h *hand) {
	n.background.Go(func() {
		o := outcome{hand: h}
		if o.process, o.err = n.runtime.Start(context.Background()); o.err == nil {
			if o.link, o.err = o.process.Link(); o.err != nil {
				o.process.Kill()
			}
		}
		n.report(o)
	})
}

// retire ends a process that executes nothing: it ends by itself when its link is
// closed, and is killed if it does not.
func (n *Node) retire(s *server) {
	s.disconnect()
	n.background.Go(func() { s.Stop(stopGrace) })
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
		if o := &list[i]; o.server != nil {
			n.buried(o.hand, o.server)
		} else {
			n.started(o)
		}
	}
	clear(list)
	n.outcomes.mu.Lock()
	n.outcomes.spare = list[:0]
	n.outcomes.mu.Unlock()
}
