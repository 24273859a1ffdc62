package fitter

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of the pause before the process is started again.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 10 * time.Second
)

var errHung = errors.New("no answer in time")

// live runs one process after another until the fitter is closed. It keeps its
// thread for good: the kernel sends the parent-death signal when the parent's
// THREAD ends, and that thread is the one that started the process.
func (f *Fitter) live() {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	defer close(f.closed)
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		before := f.Stats().Answers
		pid, err := f.life()
		if err == nil {
			return // closed
		}
		f.mu.Lock()
		f.stats.PID = 0
		f.stats.Ends++
		f.mu.Unlock()
		f.options.Events(Event{Kind: FitterEnd, PID: pid, Err: err})
		if f.Stats().Answers > before {
			pause = firstPause // it had worked
		}
		select {
		case <-time.After(pause):
		case <-f.closing:
			return
		}
	}
}

// life is that of one process. A nil error means that the fitter is closed.
func (f *Fitter) life() (pid int, err error) {
	socket, process, err := start(f.options.Engine)
	if err != nil {
		return 0, fmt.Errorf("start fitter: %w", err)
	}
	f.mu.Lock()
	f.stats.PID = process.Pid
	f.mu.Unlock()
	f.options.Events(Event{Kind: FitterStart, PID: process.Pid})
	answers, broken := make(chan answer), make(chan error, 1)
	gone := make(chan struct{})
	go listen(socket, answers, broken, gone)
	err = f.converse(socket, answers, broken)
	close(gone)
	_ = process.Kill() // one that has ended keeps its own status
	state, waited := process.Wait()
	_ = socket.Close()
	switch {
	case err == nil:
		return process.Pid, nil
	case waited != nil:
		return process.Pid, waited
	}
	return process.Pid, fmt.Errorf("%w (%v)", err, state)
}

// converse passes questions on, one at a time, until something fails.
func (f *Fitter) converse(socket *os.File, answers <-chan answer, broken <-chan error) error {
	hung := time.NewTimer(f.options.HungAfter)
	hung.Stop()
	questions := f.questions
	for {
		select {
		case q := <-questions:
			if _, err := socket.Write(q); err != nil {
				f.answered(nil)
				return err
			}
			questions = nil // until this one is answered
			hung.Reset(f.options.HungAfter)
		case a := <-answers:
			if questions != nil {
				return fmt.Errorf("%w: answer without a question", errMessage)
			}
			hung.Stop()
			questions = f.questions
			f.answered(&a)
		case err := <-broken:
			if questions == nil {
				f.answered(nil)
			}
			return err
		case <-hung.C:
			f.answered(nil)
			return errHung
		case <-f.closing:
			return nil
		}
	}
}

// listen reads answers until the socket or the process ends.
func listen(socket *os.File, answers chan<- answer, broken chan<- error, gone <-chan struct{}) {
	buf := make([]byte, maxMessage)
	for {
		n, err := socket.Read(buf)
		if err != nil {
			broken <- fmt.Errorf("process ended: %w", err)
			return
		}
		a, err := parseAnswer(buf[:n])
		if err != nil {
			broken <- err
			return
		}
		select {
		case answers <- a:
		case <-gone:
			return
		}
	}
}

// start executes an engine and returns the node's end of its socket.
func start(e Engine) (*os.File, *os.Process, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), Name)
	defer theirs.Close()
	if err := unix.SetNonblock(fds[0], true); err != nil { // reads park a goroutine, not a thread
		_ = unix.Close(fds[0])
		return nil, nil, os.NewSyscallError("fcntl O_NONBLOCK", err)
	}
	ours := os.NewFile(uintptr(fds[0]), Name)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	defer null.Close()
	if e.path == "" {
		e = Engine{path: "/proc/self/exe", args: []string{Name}}
	}
	p, err := os.StartProcess(e.path, e.args, &os.ProcAttr{
		Env: append(os.Environ(), e.env...),
		// Not the node's stdout: its only line is the ready line.
		Files: []*os.File{null, os.Stderr, os.Stderr, theirs},
		Sys:   &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, Setpgid: true},
	})
	if err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	return ours, p, nil
}
