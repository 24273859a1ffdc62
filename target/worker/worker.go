package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A Request is what a worker is asked to do.
type Request struct {
	Service time.Duration // how long to work, ≥ 0; 0 answers at once
	Dirty   int           // bytes of the worker's heap to write to, always the same ones; at most all are
	Body    []byte        // at most MaxBody bytes, carried and not interpreted
	Echo    bool          // send the body back

	Deadline time.Time // when to give the worker up; zero is never
}

// A Result is a worker's answer.
type Result struct {
	Service time.Duration // measured inside the worker
	Body    []byte        // the body sent back, valid until the next Do
}

// Errors that Do wraps.
var (
	ErrDied     = errors.New("worker died")
	ErrHung     = errors.New("worker gave no answer before the deadline")
	ErrStopped  = errors.New("worker was stopped")
	ErrProtocol = errors.New("malformed message")
)

// A Worker is a started process that executes one request at a time.
type Worker struct {
	ID      int64         // from 1, unique in its runtime
	PID     int           // a child of this process
	Kind    string        // the runtime that started it: "fork" may fall back to "exec"
	StartUp time.Duration // from the call of Start to the worker's greeting

	process *process
	socket  *os.File
	stopped atomic.Bool

	turn   sync.Mutex // held by a Do; guards what follows
	frames exchange
	broken error // why no further Do can work
	timed  bool  // the socket has a deadline set
}

// Do blocks until the worker has answered. Calls at once from several
// goroutines take turns. After any error but a refused request the worker is of no
// further use: Kill it.
func (w *Worker) Do(r Request) (Result, error) {
	if err := r.validate(); err != nil {
		return Result{}, err
	}
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.broken != nil {
		return Result{}, w.broken
	}
	result, err := w.exchange(r)
	if err != nil {
		w.broken = fmt.Errorf("worker %d (pid %d): %w", w.ID, w.PID, w.explain(err))
		return Result{}, w.broken
	}
	return result, nil
}

func (r *Request) validate() error {
	switch {
	case r.Service < 0:
		return fmt.Errorf("service time %v: negative", r.Service)
	case r.Dirty < 0 || r.Dirty > math.MaxUint32:
		return fmt.Errorf("dirty bytes %d: outside 0 to %d", r.Dirty, uint32(math.MaxUint32))
	case len(r.Body) > MaxBody:
		return fmt.Errorf("body of %d bytes: a worker takes at most %d", len(r.Body), MaxBody)
	}
	return nil
}

func (w *Worker) exchange(r Request) (Result, error) {
	if w.timed || !r.Deadline.IsZero() {
		if err := w.socket.SetDeadline(r.Deadline); err != nil {
			return Result{}, err
		}
		w.timed = !r.Deadline.IsZero()
	}
	if _, err := w.socket.Write(w.frames.request(r)); err != nil {
		return Result{}, err
	}
	buf := w.frames.buf[:cap(w.frames.buf)]
	n, err := w.socket.Read(buf)
	if err != nil {
		return Result{}, err
	}
	return w.frames.response(buf[:n])
}

// explain turns a socket's error into what happened to the worker.
func (w *Worker) explain(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrHung
	case w.stopped.Load():
		return ErrStopped
	case isClosed(err):
		// Descriptors close a moment before the process can be reaped.
		return fmt.Errorf("%w: %v", ErrDied, w.await(time.Second))
	}
	return err
}

// isClosed reports whether a socket's error means that one of its ends is gone.
func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
}

// await waits at most grace for the process to end by itself, then kills it.
func (w *Worker) await(grace time.Duration) Exit {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-w.process.done:
	case <-timer.C:
		w.process.kill()
		<-w.process.done
	}
	return w.process.exit
}

// Stop closes the worker's socket, at which an idle worker ends by itself, waits
// at most grace, then kills it. It returns when the process is reaped. A request
// in progress fails with ErrStopped.
func (w *Worker) Stop(grace time.Duration) Exit {
	w.stopped.Store(true)
	_ = w.socket.Close() // a second close is no error worth telling
	return w.await(grace)
}

// Kill ends the process at once and does not wait for it.
func (w *Worker) Kill() { w.process.kill() }

// Done is closed when the process has ended, for whatever reason, and is reaped.
func (w *Worker) Done() <-chan struct{} { return w.process.done }

// Exit is how the process ended; it waits for that.
func (w *Worker) Exit() Exit {
	<-w.process.done
	return w.process.exit
}

// greet waits for a worker's or a template's hello and returns the pid it tells.
func greet(ctx context.Context, socket *os.File, within time.Duration) (pid int, err error) {
	if err := socket.SetReadDeadline(time.Now().Add(within)); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = socket.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var buf [frameSize]byte
	n, err := socket.Read(buf[:])
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, fmt.Errorf("not ready within %v", within)
	case isClosed(err):
		return 0, fmt.Errorf("%w before it was ready", ErrDied)
	case err != nil:
		return 0, err
	}
	var hello frame
	if _, err := hello.parse(buf[:n]); err != nil || hello.kind != kindHello {
		return 0, fmt.Errorf("greeting: %w: %d bytes, kind %#x", ErrProtocol, n, hello.kind)
	}
	return int(hello.id), nil
}

// release closes the socket after the worker's end. It waits for a Do in progress,
// which may still read an answer that was sent before.
func (w *Worker) release() {
	w.turn.Lock()
	defer w.turn.Unlock()
	_ = w.socket.Close()
}
