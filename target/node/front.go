package node

import (
	"sync"

	"edgebench/target/httpwire"
	"edgebench/target/reactor"
)

// A front is the handler of a further reactor. It decides nothing: what is not
// answered at once goes as a letter to the thread that does, in the order in which
// its clients sent it. Answers come back without it, from whoever has them.
type front struct {
	node    *Node
	letters sync.Pool // of *letter: put back by the other thread
}

// A letter is a request that outlives the call it came in.
type letter struct {
	request httpwire.Request
	head    []byte
	body    []byte
	ticket  reactor.Ticket
	open    func() // on the deciding thread; made once, so that sending allocates nothing
}

// Serve is the handler of a further reactor, called on its thread.
func (f *front) Serve(req *httpwire.Request, t reactor.Ticket) (httpwire.Response, bool) {
	if string(req.Path()) == pingPath {
		return pong(), false
	}
	f.node.reactor.Post(f.seal(req, t).open) // the reactor that leads outlives this one
	return httpwire.Response{}, true
}

func (f *front) seal(req *httpwire.Request, t reactor.Ticket) *letter {
	l, _ := f.letters.Get().(*letter)
	if l == nil {
		l = &letter{}
		l.open = func() { f.deliver(l) }
	}
	l.request, l.ticket = *req, t
	l.head = l.request.Own(l.head)
	l.body = append(l.body[:0], req.Body...)
	l.request.Body = l.body
	return l
}

func (f *front) deliver(l *letter) {
	if response, later := f.node.Serve(&l.request, l.ticket); !later {
		f.node.reactor.Complete(l.ticket, response)
	}
	f.letters.Put(l)
}

// Cancel passes on that a client left.
func (f *front) Cancel(t reactor.Ticket, gone bool) {
	if gone {
		f.node.reactor.Post(func() { f.node.Cancel(t, gone) })
	}
}
