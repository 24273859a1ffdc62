package reactor

import (
	"bytes"
	"sync"
	"sync/atomic"

	"edgebench/target/httpwire"
)

// An inbox is what other goroutines hand to the loop. Answers are copied into
// one growing block, so that a completion costs no allocation and the caller
// keeps its slices.
type inbox struct {
	waiting atomic.Bool // something was put in since the last take: spares the loop the lock
	wake    func() error

	mu     sync.Mutex
	asleep bool // the loop is waiting, so whoever puts in has to wake it
	ended  bool // nobody will take any more
	batch
}

type batch struct {
	answers []answer
	block   []byte // headers and bodies of the answers, in order
	calls   []func()
}

type answer struct {
	ticket       Ticket
	response     httpwire.Response // with a slice only where the body was copied on its own
	header, body int               // lengths within the block
}

// ownBody is the size above which a body is copied outside the lock and by itself.
const ownBody = 16 << 10

func (b *inbox) complete(t Ticket, r httpwire.Response) bool {
	a := answer{ticket: t, response: r, header: len(r.Header)}
	a.response.Header, a.response.Body = nil, nil
	if len(r.Body) > ownBody {
		a.response.Body = bytes.Clone(r.Body)
	} else {
		a.body = len(r.Body)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.block = append(b.block, r.Header...)
	b.block = append(b.block, r.Body[:a.body]...)
	b.answers = append(b.answers, a)
	b.stir()
	return true
}

func (b *inbox) post(call func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.calls = append(b.calls, call)
	b.stir()
	return true
}

// stir wakes the loop, under the lock: after the end of the loop the
// descriptor may be somebody else's. It fails only on a descriptor that is not
// an eventfd.
func (b *inbox) stir() {
	b.waiting.Store(true)
	if b.asleep {
		b.asleep = false
		_ = b.wake()
	}
}

// sleep announces that the loop is about to wait, unless there is work.
func (b *inbox) sleep() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asleep = !b.waiting.Load()
	return b.asleep
}

func (b *inbox) awake() {
	b.mu.Lock()
	b.asleep = false
	b.mu.Unlock()
}

// take exchanges the batch for an empty one, so that two blocks go back and
// forth. With end nothing can be put in any more.
func (b *inbox) take(spare batch, end bool) batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.batch
	clear(spare.answers)
	clear(spare.calls)
	b.batch = batch{spare.answers[:0], spare.block[:0], spare.calls[:0]}
	b.waiting.Store(false)
	b.ended = b.ended || end
	return full
}
