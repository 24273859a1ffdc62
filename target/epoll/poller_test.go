package epoll

import (
	"bytes"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func open(t *testing.T) *Poller {
	t.Helper()
	p, err := Open(16)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func socketPair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[0]); unix.Close(fds[1]) })
	return fds[0], fds[1]
}

// wait returns the readiness of token, 0 when nothing is ready within d.
func wait(t *testing.T, p *Poller, token uint64, d time.Duration) uint32 {
	t.Helper()
	var evs [4]Event
	n, err := p.Wait(evs[:], d)
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return 0
	}
	if n > 1 || evs[0].Token != token {
		t.Fatalf("%d events, the first with token %#x, want %#x", n, evs[0].Token, token)
	}
	return evs[0].Events
}

func TestReadinessAndTokens(t *testing.T) {
	t.Parallel()
	for _, token := range []uint64{0, 1, 1<<32 | 7, 1 << 63, math.MaxUint64 - 1} {
		p := open(t)
		a, b := socketPair(t)
		if err := p.Add(a, In|Edge, token); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, p, token, 0); got != 0 {
			t.Fatalf("ready with %#x before anything was sent", got)
		}
		if _, err := Send(b, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, p, token, Forever); got&In == 0 {
			t.Fatalf("readiness %#x has no In", got)
		}
	}
}

// Edge-triggered readiness is told once a change, whether or not it is used up.
func TestEdges(t *testing.T) {
	t.Parallel()
	p := open(t)
	a, b := socketPair(t)
	if err := p.Add(a, In|PeerShut|Edge, 1); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := Send(b, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, p, 1, Forever); got&In == 0 {
			t.Fatalf("readiness %#x has no In after a send", got)
		}
		if got := wait(t, p, 1, 0); got != 0 {
			t.Fatalf("the same edge twice: %#x", got)
		}
	}
	if err := unix.Shutdown(b, unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, p, 1, Forever); got&PeerShut == 0 {
		t.Fatalf("readiness %#x has no PeerShut", got)
	}
	if err := unix.Shutdown(b, unix.SHUT_RD); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, p, 1, Forever); got&Hangup == 0 {
		t.Fatalf("readiness %#x has no Hangup", got)
	}
}

func TestModifyAndRemove(t *testing.T) {
	t.Parallel()
	p := open(t)
	a, _ := socketPair(t)
	if err := p.Add(a, In, 1); err != nil {
		t.Fatal(err)
	}
	if err := p.Modify(a, Out, 2); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, p, 2, Forever); got != Out {
		t.Fatalf("readiness %#x, want Out", got)
	}
	if err := p.Remove(a); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, p, 2, 0); got != 0 {
		t.Fatalf("removed and ready with %#x", got)
	}
	if err := p.Remove(a); err == nil {
		t.Error("a second Remove gave no error")
	}
}

// A Wake ends a Wait in progress or the next one, as often as it is called,
// though nobody reads the counter back.
func TestWake(t *testing.T) {
	t.Parallel()
	p := open(t)
	for range 3 {
		if err := p.Wake(); err != nil {
			t.Fatal(err)
		}
		wait(t, p, 0, Forever)
	}
	var returned atomic.Bool
	var waker sync.WaitGroup
	waker.Go(func() {
		for !returned.Load() {
			_ = p.Wake() // again and again: before a Wait and inside it, both are to work
			runtime.Gosched()
		}
	})
	wait(t, p, 0, Forever)
	returned.Store(true)
	waker.Wait()
}

// A wait is never shorter than its timeout, below a millisecond too, and with
// the call of older kernels.
func TestTimeoutIsNotEarly(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := TimerSlack(1); err != nil {
		t.Fatal(err)
	}
	p := open(t)
	for _, old := range []bool{false, true} {
		p.noPwait2 = p.noPwait2 || old
		for _, d := range []time.Duration{1, 30 * time.Microsecond, 1500 * time.Microsecond} {
			begin := time.Now()
			if got := wait(t, p, 0, d); got != 0 {
				t.Fatalf("ready with %#x", got)
			}
			if took := time.Since(begin); took < d {
				t.Errorf("old call %v: a wait of %v took %v", old, d, took)
			}
		}
	}
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int{
		-5: -1, 0: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, math.MaxInt64: math.MaxInt32,
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("%v: %d, want %d", d, got, want)
		}
	}
}

func TestSendAndReceive(t *testing.T) {
	t.Parallel()
	a, b := socketPair(t)
	buf := make([]byte, 1<<16)
	if _, err := Receive(a, buf); err != unix.EAGAIN {
		t.Fatalf("receive on an empty socket: %v", err)
	}
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	var got []byte
	for rest := sent; len(got) < len(sent); {
		for len(rest) > 0 {
			n, err := Send(b, rest)
			if err == unix.EAGAIN {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		n, err := Receive(a, buf)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, buf[:n]...)
	}
	if !bytes.Equal(got, sent) {
		t.Error("bytes differ")
	}
	if err := unix.Shutdown(a, unix.SHUT_RDWR); err != nil {
		t.Fatal(err)
	}
	if _, err := Send(b, sent); err != unix.EPIPE {
		t.Errorf("send to a peer that is gone: %v", err)
	}
	if n, err := Receive(b, buf); n != 0 || err != nil {
		t.Errorf("end of stream: %d, %v", n, err)
	}
}

func TestWaitAllocatesNothing(t *testing.T) {
	p := open(t)
	var evs [4]Event
	if n := testing.AllocsPerRun(100, func() {
		_, _ = p.Wait(evs[:], 0)
		_, _ = p.Wait(evs[:], time.Microsecond)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
