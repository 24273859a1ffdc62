package worker

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func link(t testing.TB, w *Worker) *Link {
	t.Helper()
	l, err := w.Link()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// answerOf waits for what the worker sends, or for its end.
func answerOf(t testing.TB, l *Link) (Result, error) {
	t.Helper()
	poll := []unix.PollFd{{Fd: int32(l.FD()), Events: unix.POLLIN}}
	for {
		if result, ok, err := l.Receive(); ok || err != nil {
			return result, err
		}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		if _, err := w.Do(Request{}); err != nil {
			t.Fatal(err)
		}
		l := link(t, w)
		if _, err := w.Do(Request{}); err == nil || !strings.Contains(err.Error(), "linked") {
			t.Errorf("Do of a linked worker: %v", err)
		}
		if _, ok, err := l.Receive(); ok || err != nil {
			t.Errorf("an answer nobody asked for: %v, %v", ok, err)
		}
		if err := l.Send(Request{Service: -1}); err == nil {
			t.Error("a refused request was sent")
		}
		body := bytes.Repeat([]byte("x"), MaxBody)
		for range 3 {
			if err := l.Send(Request{Service: time.Millisecond, Body: body, Echo: true}); err != nil {
				t.Fatal(err)
			}
			if got, err := answerOf(t, l); err != nil || got.Service < time.Millisecond || !bytes.Equal(got.Body, body) {
				t.Errorf("service %v, %d bytes, %v", got.Service, len(got.Body), err)
			}
		}
		l.Close()
		l.Close()
		if exit := w.Stop(time.Minute); !exit.Clean() {
			t.Errorf("after the link's end: %v", exit)
		}
	})
}

// What a worker sent before it died is still there, and then its end.
func TestLinkOutlivesTheWorker(t *testing.T) {
	t.Parallel()
	w := start(t, open(t, "fork", Options{}))
	l := link(t, w)
	if err := l.Send(Request{}); err != nil {
		t.Fatal(err)
	}
	poll := []unix.PollFd{{Fd: int32(l.FD()), Events: unix.POLLIN}}
	for n := 0; n == 0; {
		n, _ = unix.Poll(poll, -1)
	}
	w.Kill()
	<-w.Done()
	if _, ok, err := l.Receive(); !ok || err != nil {
		t.Errorf("the last answer: %v, %v", ok, err)
	}
	if _, _, err := l.Receive(); !errors.Is(err, ErrDied) {
		t.Errorf("after it: %v, want %v", err, ErrDied)
	}
	if err := l.Send(Request{}); !errors.Is(err, ErrDied) {
		t.Errorf("send: %v, want %v", err, ErrDied)
	}
}

func TestLinkRefusesGarbage(t *testing.T) {
	t.Parallel()
	ours, theirs, err := socketPair("garbage")
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(theirs)
	w := &Worker{ID: 7, PID: 9, socket: ours, frames: exchange{buf: make([]byte, 0, 2*frameSize)}}
	l := link(t, w)
	for _, message := range [][]byte{[]byte("short"), (&frame{kind: kindHello}).append(nil), (&frame{kind: kindResponse, id: 99}).append(nil)} {
		if _, err := unix.Write(theirs, message); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := l.Receive(); ok || !errors.Is(err, ErrProtocol) || !strings.HasPrefix(err.Error(), "worker 7 (pid 9): ") {
			t.Errorf("%q: %v, %v", message, ok, err)
		}
	}
}

func TestLinkAllocations(t *testing.T) {
	l := link(t, start(t, open(t, "fork", Options{})))
	if n := testing.AllocsPerRun(200, func() {
		if err := l.Send(Request{}); err != nil {
			t.Error(err)
		}
		for ok := false; !ok; {
			var err error
			if _, ok, err = l.Receive(); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations a round trip", n)
	}
}
