package reactor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/target/httpwire"
)

// childVar makes the test binary a server with few descriptors: the limit is
// the process's, so it cannot be lowered beside other tests.
const childVar = "REACTOR_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		if err := fewDescriptors(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const childLimit = 40

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
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // until the parent closes our standard input, or dies
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		cancel()
	}()
	return h.reactor.Run(ctx, l)
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
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVar+"=1")
	child.Stderr = os.Stderr
	hold, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		hold.Close()
		if err := child.Wait(); err != nil {
			t.Errorf("child: %v", err)
		}
	}()
	var addr string
	if _, err := fmt.Fscan(out, &addr); err != nil {
		t.Fatal(err)
	}

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
