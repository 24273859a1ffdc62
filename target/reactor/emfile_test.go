package reactor

import (
	"encoding/json"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/target/httpwire"
)

const childLimit = 40

// fewDescriptors serves its counts. The limit is the process's, so it cannot be
// lowered beside other tests.
func fewDescriptors() error {
	limit := unix.Rlimit{Cur: childLimit, Max: childLimit}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	h := &statsHandler{}
	if h.reactor, err = New(Config{}, h); err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return h.reactor.Run(untilParentEnds(), l)
}

type statsHandler struct{ reactor *Reactor }

func (h *statsHandler) Serve(*httpwire.Request, Ticket) (httpwire.Response, bool) {
	body, err := json.Marshal(h.reactor.Stats())
	if err != nil {
		return httpwire.Response{Status: 500, Body: []byte(err.Error())}, false
	}
	return httpwire.Response{Body: body}, false
}

// Without descriptors new connections hear 503, the loop does not spin, the
// connections it has are served, and it recovers.
func TestOutOfDescriptors(t *testing.T) {
	t.Parallel()
	addr := startChild(t, "fewDescriptors").addr
	observer := dial(t, addr)
	stats := func() (s Stats) {
		t.Helper()
		observer.send(t, get("/"))
		text := observer.answer(t)
		if err := json.Unmarshal([]byte(text[len("200 "):]), &s); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return s
	}
	const crowd = 100
	clients := make([]*client, crowd)
	for i := range clients {
		clients[i] = dial(t, addr)
	}
	s := stats()
	for s.Accepted+s.Refused < crowd+1 {
		s = stats()
	}
	if s.Refused == 0 || s.Open >= childLimit {
		t.Fatalf("%+v", s)
	}
	refused := 0
	for _, c := range clients[s.Open-1:] { // accepted in their order: the first are open
		c.want(t, "503 close ")
		refused++
	}
	if uint64(refused) != s.Refused {
		t.Errorf("%d clients heard 503, %d refused", refused, s.Refused)
	}
	before := stats().Waits
	if turns := stats().Waits - before; turns > 10 {
		t.Errorf("the loop turned %d times for one request", turns)
	}
	for _, c := range clients {
		c.Close()
	}
	for stats().Open > 1 {
	}
	c := dial(t, addr)
	c.send(t, get("/"))
	if got := c.answer(t); got[:4] != "200 " {
		t.Errorf("after the crowd: %s", got)
	}
	c.Close()
}
