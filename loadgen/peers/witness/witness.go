// Package witness is a server that answers at once and remembers when each
// request arrived: what a generator did, told by the other side. It can stand
// still at set times, as a garbage collector or a throttled container does.
//
// It runs as a process of its own, which is this program started again: a
// program that imports the package calls Main first thing.
package witness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/target/epoll"
)

// variable, in the environment, makes a process a witness; its value is the
// Plan as JSON.
const variable = "EDGEBENCH_WITNESS"

// A Plan is when the witness stands still.
type Plan struct {
	Stalls []time.Duration `json:"stalls_ns"` // begins, counted from the arrival of request Settle; in order
	Stall  time.Duration   `json:"stall_ns"`  // length of each
}

// Settle is the number of the request from whose arrival stalls are counted:
// some generators send one a connection to warm up.
const Settle = 200

// Arrivals are what a witness saw.
type Arrivals struct {
	UnixNS   []int64 `json:"unix_ns"`   // when each request was complete, in order
	ByKernel int     `json:"by_kernel"` // how many instants are the kernel's, taken before anybody was woken
}

// ready is the first line on standard output, Arrivals the second and last.
type ready struct {
	Address string `json:"address"`
}

// Main serves, when this process was started as a witness, until its standard
// input ends, and exits.
func Main() {
	text, asked := os.LookupEnv(variable)
	if !asked {
		return
	}
	if err := run(text, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "witness: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(text string, stdin io.Reader, stdout io.Writer) error {
	var plan Plan
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		return fmt.Errorf("%s=%q: %w", variable, text, err)
	}
	s, address, err := listen(plan)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(ready{address}); err != nil {
		return err
	}
	var stop atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // however it ends, it has ended
		stop.Store(true)
		_ = s.poller.Wake() // fails only for a poller that is closed
	}()
	runtime.LockOSThread()
	for !stop.Load() {
		if err := s.turn(); err != nil {
			return err
		}
	}
	slices.Sort(s.seen.UnixNS) // turns take connections in any order
	w := bufio.NewWriter(stdout)
	if err := json.NewEncoder(w).Encode(s.seen); err != nil {
		return err
	}
	return w.Flush()
}

// listen opens the server on a free port of the loopback.
func listen(plan Plan) (*server, string, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, "", os.NewSyscallError("socket", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, "", os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, 4096); err != nil {
		return nil, "", os.NewSyscallError("listen", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return nil, "", os.NewSyscallError("getsockname", err)
	}
	poller, err := epoll.Open(256)
	if err != nil {
		return nil, "", err
	}
	if err := poller.Add(fd, epoll.In, uint64(fd)); err != nil {
		return nil, "", err
	}
	s := &server{plan: plan, poller: poller, listener: fd, tails: map[int]uint32{}, events: make([]epoll.Event, 256)}
	s.seen.UnixNS = make([]int64, 0, 1<<20) // 8 MB: no growth while it counts
	return s, fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port), nil
}
