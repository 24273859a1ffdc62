package worker

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// runWorker is the worker of the exec runtime: ordinary Go after a full
// initialisation, the same service as a forked worker's.
func runWorker(e equipment) error {
	runtime.LockOSThread() // the CPU clock that work burns by is this thread's
	job := newJob(e)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // as a forked worker; only precision is lost without
	buf := make([]byte, messageSize)
	f := frame{kind: kindHello, id: uint64(unix.Getpid())}
	answer := f.append(buf[:0])
	for {
		err := unix.Sendto(childSocket, answer, unix.MSG_NOSIGNAL, nil)
		if err == unix.EPIPE || err == unix.ECONNRESET { // the node closed: a clean end
			return nil
		}
		if err != nil {
			return os.NewSyscallError("sendto", err)
		}
		n, err := receive(buf)
		if err != nil || n == 0 {
			return err
		}
		if _, err := f.parse(buf[:n]); err != nil || f.kind != kindRequest {
			os.Exit(exitProtocol) // as a forked worker, which could not say more
		}
		if f.nanos, err = job.do(&f); err != nil {
			return err
		}
		f.kind = kindResponse
		if f.flags&flagEcho == 0 {
			f.body = 0
		}
		answer = f.append(buf[:0])[:frameSize+f.body]
	}
}

// receive reads one message; 0 means that the node closed the socket.
func receive(buf []byte) (int, error) {
	for {
		n, err := unix.Read(childSocket, buf)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
		case unix.ECONNRESET:
			return 0, nil
		default:
			return 0, os.NewSyscallError("read", err)
		}
	}
}

// A job is what the worker does in a request.
type job struct {
	equipment
	picture *picture // of image work
	state   uint64   // of the arithmetic that burns CPU time
}

func newJob(e equipment) *job {
	j := &job{equipment: e, state: 1}
	if e.work == Image {
		j.picture = newPicture()
	}
	return j
}

// do does what (*child).work does, and image work too.
func (j *job) do(f *frame) (int64, error) {
	start := clock(unix.CLOCK_MONOTONIC)
	for at := 0; at < min(int(f.dirty), len(j.heap)); at += pageSize {
		j.heap[at]++
	}
	burned := clock(unix.CLOCK_THREAD_CPUTIME_ID) + f.nanos
	switch j.work {
	case Image:
		j.picture.resize()
		for clock(unix.CLOCK_THREAD_CPUTIME_ID) < burned {
			j.picture.resize()
		}
	case CPU:
		for clock(unix.CLOCK_THREAD_CPUTIME_ID) < burned {
			j.state = rounds(j.state)
		}
	default:
		if err := sleepUntil(start + f.nanos); err != nil {
			return 0, err
		}
	}
	return clock(unix.CLOCK_MONOTONIC) - start, nil
}

func clock(id int32) int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(id, &now) // cannot fail for the clocks used here
	return now.Nano()
}

// sleepUntil is not time.Sleep, whose lateness is about a millisecond.
func sleepUntil(instant int64) error {
	until := unix.NsecToTimespec(instant)
	for {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil)
		if err != unix.EINTR {
			return os.NewSyscallError("clock_nanosleep", err)
		}
	}
}
