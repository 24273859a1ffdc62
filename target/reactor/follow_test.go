package reactor

import (
	"testing"

	"edgebench/target/httpwire"
)

// Connections are spread evenly, each is served by its own loop, and an answer
// given to the one that leads reaches the loop that asked.
func TestLoopsShareConnections(t *testing.T) {
	t.Parallel()
	const loops, each = 3, 5
	h := newLater()
	s := startLoops(t, loops, h, Config{})
	clients := map[*client]Ticket{}
	byLoop := map[uint32]int{}
	for range loops * each {
		c := dial(t, s.addr)
		c.send(t, get("/"))
		ticket := <-h.tickets
		clients[c] = ticket
		byLoop[ticket.loop]++
	}
	for loop := range uint32(loops) {
		if byLoop[loop] != each {
			t.Errorf("connections by loop %v, want %d each", byLoop, each)
			break
		}
	}
	for c, ticket := range clients {
		s.Complete(ticket, httpwire.Response{Body: []byte("yours")})
		c.want(t, "200 yours")
	}
	var own uint64
	s.onLoops(t, func(r *Reactor) {
		if r != s.Reactor {
			own += r.Stats().Requests
		}
	})
	if all := s.Stats(); all.Accepted != loops*each || all.Open != loops*each || all.Requests != loops*each || own != (loops-1)*each {
		t.Errorf("%+v, of these requests to followers %d", all, own)
	}
}

// A loop that closes its connections gets the next ones.
func TestEmptiestLoopIsNext(t *testing.T) {
	t.Parallel()
	h := newLater()
	s := startLoops(t, 2, h, Config{})
	ask := func() (*client, Ticket) {
		c := dial(t, s.addr)
		c.send(t, get("/"))
		return c, <-h.tickets
	}
	ask()
	second, ticket := ask()
	ask()
	if err := second.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	second.Close()
	<-h.canceled
	s.await(t, func() bool { return s.Stats().Open == 2 })
	if _, next := ask(); next.loop != ticket.loop || ticket.loop != 1 {
		t.Errorf("loop %d after one of loop %d left", next.loop, ticket.loop)
	}
}
