package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/proctest"
)

func TestDo(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		if w.ID != 1 || w.Kind != kind || w.StartUp <= 0 {
			t.Errorf("worker %+v", w)
		}
		largest := bytes.Repeat([]byte("x"), MaxBody)
		for name, r := range map[string]Request{
			"at once":      {},
			"sleep":        {Service: 3 * time.Millisecond},
			"body dropped": {Body: []byte("payload")},
			"body echoed":  {Body: []byte("payload"), Echo: true},
			"largest body": {Body: largest, Echo: true},
			"deadline":     {Deadline: time.Now().Add(time.Hour)},
			"dirty":        {Dirty: 64 << 10},
			"dirty all":    {Dirty: 1 << 31},
		} {
			got, err := w.Do(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.Service < r.Service {
				t.Errorf("%s: took %v, asked for %v", name, got.Service, r.Service)
			}
			want := r.Body
			if !r.Echo {
				want = nil
			}
			if !bytes.Equal(got.Body, want) {
				t.Errorf("%s: %d bytes came back, want %d", name, len(got.Body), len(want))
			}
		}
		if exit := w.Stop(time.Minute); !exit.Clean() {
			t.Errorf("stopped worker: %v", exit)
		}
	})
}

func TestRefusedRequestLeavesTheWorkerUsable(t *testing.T) {
	t.Parallel()
	w := start(t, open(t, "fork", Options{}))
	for _, r := range []Request{{Service: -1}, {Dirty: -1}, {Body: make([]byte, MaxBody+1)}} {
		if _, err := w.Do(r); err == nil {
			t.Errorf("service %v, dirty %d, body of %d bytes: accepted", r.Service, r.Dirty, len(r.Body))
		}
	}
	if _, err := w.Do(Request{}); err != nil {
		t.Error(err)
	}
}

func TestProcessLooksLikeAWorker(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		if _, err := w.Do(Request{}); err != nil { // past its set-up
			t.Fatal(err)
		}
		if got := status(w.PID, "Name"); got != WorkerName {
			t.Errorf("named %q, want %q", got, WorkerName)
		}
		if got := status(w.PID, "PPid"); got != strconv.Itoa(os.Getpid()) {
			t.Errorf("parent %s, want this process, %d", got, os.Getpid())
		}
		group, err := unix.Getpgid(w.PID)
		if err != nil || group == unix.Getpgrp() {
			t.Errorf("process group %d (%v): a terminal's Ctrl-C would end it", group, err)
		}
		if !slices.Contains(templated, kind) {
			return
		}
		if open := descriptors(t, w.PID); len(open) != 1 {
			t.Errorf("forked worker has %q open, want its socket alone", open)
		}
		for _, field := range []string{"SigBlk", "SigCgt"} {
			if got := status(w.PID, field); got != "0000000000000000" {
				t.Errorf("forked worker's %s is %s", field, got)
			}
		}
	})
}

func TestKilledInARequest(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		failed := make(chan error)
		go func() {
			_, err := w.Do(Request{Service: time.Hour})
			failed <- err
		}()
		inRequest(t, w)
		if err := unix.Kill(w.PID, unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; !errors.Is(err, ErrDied) {
			t.Errorf("got %v, want %v", err, ErrDied)
		}
		if exit := w.Exit(); exit.Status.Signal() != unix.SIGTERM && exit.Status.ExitStatus() == 0 {
			t.Errorf("exit %v", exit)
		}
		if _, err := w.Do(Request{}); !errors.Is(err, ErrDied) {
			t.Errorf("a dead worker's Do gives %v, want %v", err, ErrDied)
		}
	})
}

// inRequest waits until a thread of a worker sleeps in its service time.
func inRequest(t *testing.T, w *Worker) {
	t.Helper()
	sleeping := []byte(strconv.Itoa(unix.SYS_CLOCK_NANOSLEEP) + " ")
	for {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", w.PID))
		if err != nil || len(threads) == 0 {
			t.Fatalf("pid %d: no threads: %v", w.PID, err)
		}
		for _, file := range threads {
			text, err := os.ReadFile(file)
			if os.IsPermission(err) {
				t.Skipf("cannot see where a process is: %v", err)
			}
			if bytes.HasPrefix(text, sleeping) {
				return
			}
		}
		runtime.Gosched()
	}
}

func TestKilledWhileIdle(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		w.Kill()
		<-w.Done()
		if exit := w.Exit(); exit.Status.Signal() != unix.SIGKILL || exit.PID != w.PID {
			t.Errorf("exit %v", exit)
		}
		if status(w.PID, "State") != "" {
			t.Errorf("pid %d is still there", w.PID)
		}
		w.Kill() // harmless
		if exit := w.Stop(0); exit.Clean() {
			t.Errorf("stop changed the exit to %v", exit)
		}
	})
}

func TestHungWorker(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		w := start(t, open(t, kind, Options{}))
		proctest.Stop(t, w.PID)
		if _, err := w.Do(Request{Deadline: time.Now().Add(10 * time.Millisecond)}); !errors.Is(err, ErrHung) {
			t.Fatalf("got %v, want %v", err, ErrHung)
		}
		if _, err := w.Do(Request{}); !errors.Is(err, ErrHung) {
			t.Errorf("the next Do gives %v: it could have taken the late answer", err)
		}
		if exit := w.Stop(time.Millisecond); exit.Status.Signal() != unix.SIGKILL {
			t.Errorf("exit %v", exit)
		}
	})
}

func TestStopInARequest(t *testing.T) {
	t.Parallel()
	w := start(t, open(t, "fork", Options{}))
	failed := make(chan error)
	go func() {
		_, err := w.Do(Request{Service: time.Hour})
		failed <- err
	}()
	inRequest(t, w)
	w.Stop(0)
	if err := <-failed; !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want %v", err, ErrStopped)
	}
}

func TestMalformedFrameEndsTheWorker(t *testing.T) {
	t.Parallel()
	request := frame{kind: kindRequest}
	short, long, alien := request.append(nil)[:frameSize-1], append(request.append(nil), 1), (&frame{}).append(nil)
	eachKind(t, func(t *testing.T, kind string) {
		r := open(t, kind, Options{})
		for _, text := range [][]byte{short, long, alien} {
			w := start(t, r)
			if _, err := w.socket.Write(text); err != nil {
				t.Fatal(err)
			}
			if exit := w.Exit(); exit.Status.ExitStatus() != exitProtocol {
				t.Errorf("%x: %v", text, exit)
			}
		}
	})
}

func TestConcurrentStarts(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		r := open(t, kind, Options{})
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				w, err := r.Start(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := w.Do(Request{Service: time.Millisecond}); err != nil {
					t.Error(err)
				}
				if exit := w.Stop(time.Minute); !exit.Clean() {
					t.Errorf("stopped worker: %v", exit)
				}
			})
		}
		all.Wait()
	})
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, kind string) {
		r := open(t, kind, Options{})
		var workers []*Worker
		for range 4 {
			workers = append(workers, start(t, r))
		}
		var starting sync.WaitGroup
		for range 4 {
			starting.Go(func() { // ends with a worker that Close kills, or with ErrClosed
				for {
					if _, err := r.Start(context.Background()); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Errorf("got %v, want %v", err, ErrClosed)
						}
						return
					}
				}
			})
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		starting.Wait()
		for _, w := range workers {
			if !w.process.ended() || status(w.PID, "State") != "" {
				t.Errorf("worker %d (pid %d) outlived Close", w.ID, w.PID)
			}
		}
	})
}

func TestStartIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	eachKind(t, func(t *testing.T, kind string) {
		if _, err := open(t, kind, Options{}).Start(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Open("spoon", Options{}); err == nil {
		t.Error("an unknown runtime opened")
	}
	if _, err := Open("fork", Options{Heap: 1, ReadyTimeout: -1}); err == nil {
		t.Error("a heap of one byte was accepted")
	}
	if _, err := Open("fork", Options{Heap: 1 << 30, ReadyTimeout: 1}); err == nil {
		t.Error("a template was ready in a nanosecond")
	}
}
