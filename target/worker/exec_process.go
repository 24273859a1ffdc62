package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// runWorker is the worker of the exec runtime: ordinary Go after a full
// initialisation, the same service as a forked worker's.
func runWorker(heap []byte) error {
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
		if f.nanos, err = work(heap, &f); err != nil {
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

// work does what (*child).work does.
func work(heap []byte, f *frame) (int64, error) {
	start := monotonic()
	for at := 0; at < min(int(f.dirty), len(heap)); at += pageSize {
		heap[at]++
	}
	if f.nanos > 0 && f.flags&flagSpin == 0 {
		if err := sleepUntil(start + f.nanos); err != nil {
			return 0, err
		}
	}
	end := monotonic()
	for f.flags&flagSpin != 0 && end < start+f.nanos {
		end = monotonic()
	}
	return end - start, nil
}

func monotonic() int64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // cannot fail for this clock
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
