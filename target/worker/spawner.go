package worker

import (
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// childSocket is where a process of ours finds its socket.
const childSocket = 3

// A spawner executes programs from one thread that lives as long as the
// runtime. The kernel sends a parent-death signal when the parent's THREAD ends,
// so a child started from a passing thread of the scheduler would be killed at random.
type spawner struct {
	work   chan func()
	ending sync.Once
}

func newSpawner() *spawner {
	s := &spawner{work: make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for start := range s.work {
			start()
		}
	}()
	return s
}

// start executes a program with its socket as descriptor 3.
func (s *spawner) start(path string, argv []string, socket int) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attr := &syscall.ProcAttr{
		Env: os.Environ(),
		// Not the node's stdout: its only line is the ready line.
		Files: []uintptr{null.Fd(), 2, 2, uintptr(socket)},
		Sys:   &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, Setpgid: true},
	}
	started := make(chan struct{})
	s.work <- func() {
		pid, err = syscall.ForkExec(path, argv, attr)
		close(started)
	}
	<-started
	return pid, os.NewSyscallError("exec "+path, err)
}

func (s *spawner) close() { s.ending.Do(func() { close(s.work) }) }
