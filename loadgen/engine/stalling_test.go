package engine

import (
	"sync"
	"testing"
	"time"

	"edgebench/loadgen/transport/transporttest"
)

// stallLength is what a stall is meant to last; what it lasted is measured.
const stallLength = 300 * time.Millisecond

// stalling answers at once, but stops for a while when certain requests arrive.
type stalling struct {
	at   map[int64]bool // numbers of the requests, from 1
	gate sync.RWMutex   // held for writing during a stall

	mu   sync.Mutex
	past []stall
}

// A stall is when nothing was answered.
type stall struct{ begin, end time.Time }

func newStalling(at ...int64) *stalling {
	s := &stalling{at: map[int64]bool{}}
	for _, n := range at {
		s.at[n] = true
	}
	return s
}

func (s *stalling) start(t *testing.T) string {
	return transporttest.Serve(t, func(c *transporttest.Conn) {
		for {
			number, ok := c.Numbered()
			if !ok {
				return
			}
			if s.at[number] {
				s.stall()
			}
			s.gate.RLock()
			c.Send(okResponse)
			s.gate.RUnlock()
		}
	}).Address()
}

func (s *stalling) stall() {
	s.gate.Lock()
	begin := time.Now()
	time.Sleep(stallLength) // the stall itself, not a way to wait for something
	end := time.Now()
	s.gate.Unlock()
	s.mu.Lock()
	s.past = append(s.past, stall{begin, end})
	s.mu.Unlock()
}

func (s *stalling) stalls() []stall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.past
}
