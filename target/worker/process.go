package worker

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// An Exit is how a process ended.
type Exit struct {
	PID    int
	Status unix.WaitStatus
}

// Clean reports whether the process ended by itself with status 0.
func (e Exit) Clean() bool { return e.Status.Exited() && e.Status.ExitStatus() == 0 }

func (e Exit) String() string {
	if e.Status.Signaled() {
		return fmt.Sprintf("pid %d: signal: %s", e.PID, e.Status.Signal())
	}
	return fmt.Sprintf("pid %d: exit status %d", e.PID, e.Status.ExitStatus())
}

// A process is a child of ours and its reaper.
type process struct {
	pid  int
	done chan struct{} // closed once reaped
	exit Exit          // valid after done

	mu     sync.Mutex // orders signals before the reaping that frees the pid
	reaped bool
}

// watch reaps pid, a child of this process that nobody else waits for.
func watch(pid int) *process {
	p := &process{pid: pid, done: make(chan struct{})}
	go p.reap()
	return p
}

// reap waits on a pidfd through the runtime's poller, so that a waiting worker
// costs a goroutine and not a thread. Kernels without such a pidfd (before 5.10)
// get the thread.
func (p *process) reap() {
	defer close(p.done)
	if fd, err := unix.PidfdOpen(p.pid, unix.PIDFD_NONBLOCK); err == nil {
		file := os.NewFile(uintptr(fd), "pidfd")
		if raw, err := file.SyscallConn(); err == nil {
			_ = raw.Read(func(uintptr) bool { return p.collect() }) // an error leaves it to the thread
		}
		_ = file.Close()
	}
	for !p.collect() {
		_ = unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	}
}

// collect reaps the process if it has ended.
func (p *process) collect() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return true
	}
	var status unix.WaitStatus
	pid, err := unix.Wait4(p.pid, &status, unix.WNOHANG, nil)
	if pid == p.pid || err == unix.ECHILD { // ECHILD: reaped by a stranger, the status is lost
		p.reaped = true
		p.exit = Exit{PID: p.pid, Status: status}
	}
	return p.reaped
}

// kill sends SIGKILL; to a process that has ended it does nothing.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
