package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"edgebench/target/proctest"
)

// A process is a node of its own process.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *bytes.Buffer
	addr   string
	ready  map[string]any
	once   sync.Once
	code   int
}

func launch(t *testing.T, args ...string) *process {
	t.Helper()
	return launchAs(t, nil, args...)
}

func launchAs(t *testing.T, attr *syscall.SysProcAttr, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("/proc/self/exe", args...), stderr: new(bytes.Buffer)}
	p.cmd.SysProcAttr = attr
	p.cmd.Env = append(os.Environ(), targetRole+"=1")
	p.cmd.Stderr = p.stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		p.wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("no ready line: %v, exit %d\n%s", err, p.wait(), p.stderr)
	}
	if err := json.Unmarshal(line, &p.ready); err != nil {
		t.Fatalf("ready line %q: %v", line, err)
	}
	p.addr, _ = p.ready["addr"].(string)
	return p
}

// wait returns the exit code, -1 for a signal.
func (p *process) wait() int {
	p.once.Do(func() {
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
	})
	return p.code
}

func (p *process) get(path string) (*http.Response, error) {
	resp, err := http.Get("http://" + p.addr + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, err
}

// told is what the tests read of /stats.
type told struct {
	Pids struct {
		Node, Template, Fitter int
		Workers                []int
	}
	Workers struct{ Idle, Busy int }
}

func (p *process) stats() told {
	p.t.Helper()
	resp, err := p.get("/stats")
	if err != nil {
		p.t.Fatal(err)
	}
	var s told
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		p.t.Fatalf("/stats: %v", err)
	}
	return s
}

func (s told) children() []int {
	all := append([]int{s.Pids.Template}, s.Pids.Workers...)
	if s.Pids.Fitter != 0 {
		all = append(all, s.Pids.Fitter)
	}
	return all
}

// alive reports whether a process runs; a zombie, which an orphan is until its
// new parent looks, does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func awaitGone(pids []int) {
	for _, pid := range pids {
		for alive(pid) {
		}
	}
}

// three is a node of three workers with a small heap.
func three(t *testing.T, more ...string) *process { return launch(t, threeArgs(more...)...) }

func threeArgs(more ...string) []string {
	return append([]string{"--listen", "127.0.0.1:0", "--policy", "static", "--workers", "3",
		"--heap", "1MiB", "--service", "1ms", "--miss", "queue"}, more...)
}

// happened reads the events of that name and reason.
func (p *process) happened(name, reason string) (found []event) {
	p.t.Helper()
	resp, err := p.get("/events")
	if err != nil {
		p.t.Fatal(err)
	}
	for d := json.NewDecoder(resp.Body); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			return found
		} else if err != nil {
			p.t.Fatalf("/events: %v", err)
		}
		if e.Event == name && e.Reason == reason {
			found = append(found, e)
		}
	}
}

type event struct {
	At     int64 `json:"unix_ns"`
	Event  string
	Reason string
	Error  string
}

// load sends n requests at once and returns how many were answered 200.
func (p *process) load(n int) <-chan int {
	ok := make(chan int, 1)
	var all sync.WaitGroup
	var mu sync.Mutex
	answered := 0
	for range n {
		all.Go(func() {
			if resp, err := p.get("/"); err == nil && resp.StatusCode == 200 {
				mu.Lock()
				answered++
				mu.Unlock()
			}
		})
	}
	go func() { all.Wait(); ok <- answered }()
	return ok
}

// freeze stops the workers, so that requests stay in flight until thaw.
func (p *process) freeze() (thaw func()) {
	p.t.Helper()
	workers := p.stats().Pids.Workers
	for _, pid := range workers {
		proctest.Stop(p.t, pid)
	}
	return func() {
		for _, pid := range workers {
			_ = unix.Kill(pid, unix.SIGCONT)
		}
	}
}

func (p *process) untilBusy(n int) told {
	for {
		if s := p.stats(); s.Workers.Busy == n {
			return s
		}
	}
}

func (p *process) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) descriptors() int {
	p.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(entries)
}
