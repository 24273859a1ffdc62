package client

import (
	"sync"
	"sync/atomic"
)

// An attempt is a connect that ended: a link, or why there is none.
type attempt struct {
	link  *link
	fault *dialError
}

// arrivals pass from the goroutines that connect to the event loop.
type arrivals struct {
	any  atomic.Bool // spares the loop the lock
	mu   sync.Mutex
	list []attempt
}

func (a *arrivals) add(one attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, one)
	a.any.Store(true)
}

func (a *arrivals) take() []attempt {
	if !a.any.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.list
	a.list = nil
	a.any.Store(false)
	return taken
}
