package reactor

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"edgebench/target/httpwire"
)

// scatter answers one in three at once and hands the rest to goroutines that
// complete them as they get to it.
type scatter struct{ work chan task }

type task struct {
	ticket Ticket
	target string
}

func (h scatter) Serve(req *httpwire.Request, t Ticket) (httpwire.Response, bool) {
	if len(req.Body)%3 == 0 {
		return httpwire.Response{Body: fmt.Appendf(nil, "%s %d", req.Target(), len(req.Body))}, false
	}
	h.work <- task{t, fmt.Sprintf("%s %d", req.Target(), len(req.Body))}
	return httpwire.Response{}, true
}

// Clients that pipeline bodies of all sizes in pieces of all sizes, some of
// which leave in the middle: every answer is the right one, in its order, and
// at the end no request is unaccounted for.
func TestOrderUnderStress(t *testing.T) { eachSize(t, testOrderUnderStress) }

func testOrderUnderStress(t *testing.T, loops int) {
	h := scatter{make(chan task, 100_000)}
	s := startLoops(t, loops, h, Config{Pipeline: 16, HighWater: 4096})
	var workers, clients sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for w := range h.work {
				s.Complete(w.ticket, httpwire.Response{Body: []byte(w.target)})
			}
		})
	}
	for id := range 16 {
		c := dial(t, s.addr)
		clients.Go(func() { stress(t, c, id) })
	}
	clients.Wait()
	s.await(t, func() bool { return s.Stats().Open == 0 })
	close(h.work)
	workers.Wait()
	s.await(t, func() bool { return len(h.work) == 0 })
	s.onLoops(t, func(r *Reactor) {
		for _, c := range r.conns {
			if c.open || c.queue.len() > 0 || c.held != 0 {
				t.Errorf("connection left with %d requests and %d bytes", c.queue.len(), c.held)
			}
		}
	})
}

func stress(t *testing.T, c *client, id int) {
	random := rand.New(rand.NewPCG(7, uint64(id)))
	leaves := id%4 == 3
	const n = 150
	var stream bytes.Buffer
	wants := make([]string, n)
	for i := range n {
		size := random.IntN(3000)
		target := fmt.Sprintf("/%d/%d", id, i)
		if i%2 == 0 {
			fmt.Fprintf(&stream, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", target, size, make([]byte, size))
		} else {
			fmt.Fprintf(&stream, "POST %s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", target)
			if first := size / 2; first > 0 {
				fmt.Fprintf(&stream, "%x;a=b\r\n%s\r\n", first, make([]byte, first))
			}
			if second := size - size/2; second > 0 {
				fmt.Fprintf(&stream, "%X\r\n%s\r\n", second, make([]byte, second))
			}
			stream.WriteString("0\r\nT: t\r\n\r\n")
		}
		wants[i] = fmt.Sprintf("200 %s %d", target, size)
	}
	text := stream.Bytes()
	if leaves {
		text = text[:len(text)/2]
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for len(text) > 0 {
			k := min(len(text), 1+random.IntN(4000))
			if _, err := c.Write(text[:k]); err != nil {
				t.Errorf("client %d: %v", id, err)
				return
			}
			text = text[k:]
		}
		if !leaves {
			_ = c.CloseWrite()
		}
	})
	if leaves {
		writer.Wait()
		_, _ = io.CopyN(io.Discard, c, 500)
		_ = c.SetLinger(0)
		c.Close()
		return
	}
	for _, want := range wants {
		c.want(t, want)
	}
	c.wantEnd(t)
	writer.Wait()
}
