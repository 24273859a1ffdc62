package reactor

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// pipe returns a descriptor to watch and a file to write to it.
func pipe(t *testing.T) (fd int, w *os.File) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fds[0]) })
	w = os.NewFile(uintptr(fds[1]), "pipe")
	t.Cleanup(func() { w.Close() })
	return fds[0], w
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	fd, w := pipe(t)
	var watch *Watch
	read := make(chan string, 8)
	s.onLoop(t, func() {
		var err error
		watch, err = s.Watch(fd, func() {
			var buf [4]byte // less than is there: ready is called again
			n, err := unix.Read(fd, buf[:])
			if n == 0 || err != nil {
				watch.Stop()
				watch.Stop()
			}
			read <- string(buf[:max(n, 0)])
		})
		if err != nil {
			t.Error(err)
		}
	})
	w.WriteString("sevenal")
	if a, b := <-read, <-read; a != "seve" || b != "nal" {
		t.Errorf("read %q and %q", a, b)
	}
	w.Close()
	if end := <-read; end != "" {
		t.Errorf("read %q after the end", end)
	}
	s.onLoop(t, func() {
		if !watch.Stopped() {
			t.Error("not stopped")
		}
	})
}

// Two watches become ready in one turn, and whichever is called first ends the
// other and takes its place: the event found for the ended one is nobody's.
func TestWatchEndedInItsTurn(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	one, w1 := pipe(t)
	two, w2 := pipe(t)
	third, _ := pipe(t)
	done := make(chan struct{})
	s.onLoop(t, func() {
		var a, b *Watch
		called := 0
		ready := func() {
			called++
			a.Stop()
			b.Stop()
			var again []*Watch
			for range 2 { // both places are taken again
				w, err := s.Watch(third, func() { t.Error("an event of another watch") })
				if err == nil {
					again = append(again, w)
				} else if err.Error() != "watch: epoll_ctl add: file exists" {
					t.Error(err)
				}
			}
			s.AfterFunc(0, func() {
				if called != 1 {
					t.Errorf("called %d times", called)
				}
				for _, w := range again { // the end of the test closes the pipe, which is an event
					w.Stop()
				}
				close(done)
			})
		}
		a, _ = s.Watch(one, ready)
		b, _ = s.Watch(two, ready)
		w1.WriteString("x") // both before the loop looks again
		w2.WriteString("x")
	})
	<-done
}

func TestWatchRefused(t *testing.T) {
	t.Parallel()
	s := start(t, ping{}, Config{})
	s.onLoop(t, func() {
		if _, err := s.Watch(-1, func() {}); err == nil {
			t.Error("a descriptor that is none was accepted")
		}
		if len(s.freeWatches) != 1 {
			t.Errorf("places free: %v", s.freeWatches)
		}
	})
}
