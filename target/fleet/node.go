package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A Config says which node to start.
type Config struct {
	Binary       string        // the target program; "" has Find look for it
	Options      Options       // from Defaults
	ExtraArgs    []string      // after those of Options
	Stderr       io.Writer     // gets the node's log as it comes; nil drops it. It is called from another goroutine
	ReadyTimeout time.Duration // from the start to the ready line; 0 is 30s
	StopTimeout  time.Duration // from SIGTERM to SIGKILL in Stop; 0 is 15s, above the node's own bound for draining
}

// Ready is what a node tells in its ready line.
type Ready struct {
	Ready   bool   `json:"ready"`
	Addr    string `json:"addr"` // HOST:PORT
	PID     int    `json:"pid"`
	Policy  string `json:"policy"`
	Runtime string `json:"runtime"`
	Version string `json:"version"`
}

// A Node is a started process of target.
type Node struct {
	Ready
	Path string   // of the program
	Args []string // its command line, without the program

	cmd         *exec.Cmd
	stderr      *tail
	stopTimeout time.Duration
	exited      chan struct{}
	err         error // after exited
}

// An ExitError is how a node ended when it did not end well.
type ExitError struct {
	Ready  bool   // it had been ready
	Code   int    // exit status, -1 for a signal; 2 means that it refused its arguments
	State  string // "exit status 1", "signal: killed"
	Stderr string // the end of its log
}

func (e *ExitError) Error() string {
	when := "before it was ready"
	if e.Ready {
		when = "while it served"
	}
	text := fmt.Sprintf("target ended %s: %s", when, e.State)
	if e.Stderr != "" {
		text += ": " + lastLines(e.Stderr, 5)
	}
	return text
}

// lastLines is the end of a text that an error's reader is spared the whole of.
func lastLines(text string, count int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

// Start starts a node and returns it ready. ctx bounds the start alone.
func Start(ctx context.Context, cfg Config) (*Node, error) {
	n, first, err := launch(cfg)
	if err != nil {
		return nil, err
	}
	timeout := cfg.ReadyTimeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case line := <-first.line:
		err = n.Ready.parse(line)
	case err = <-first.fault:
	case <-n.exited:
		return nil, n.exitError(false)
	case <-timer.C:
		err = fmt.Errorf("no ready line within %v", timeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		n.kill()
		if log := n.stderr.String(); log != "" {
			err = fmt.Errorf("%w; its log: %s", err, lastLines(log, 5))
		}
		return nil, fmt.Errorf("start %s: %w", n.Path, err)
	}
	return n, nil
}

// launch starts the process; its first line of output comes through the writer.
func launch(cfg Config) (*Node, *firstLine, error) {
	path := cfg.Binary
	if path == "" {
		found, err := Find()
		if err != nil {
			return nil, nil, err
		}
		path = found
	}
	args := append(append(Args(cfg.Options), "--attached"), cfg.ExtraArgs...)
	n := &Node{
		Path:        path,
		Args:        args,
		cmd:         exec.Command(path, args...),
		stderr:      &tail{to: cfg.Stderr},
		stopTimeout: cfg.StopTimeout,
		exited:      make(chan struct{}),
	}
	if n.stopTimeout == 0 {
		n.stopTimeout = 15 * time.Second
	}
	first := newFirstLine()
	n.cmd.Stdout, n.cmd.Stderr = first, n.stderr
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	n.cmd.WaitDelay = 2 * time.Second // a stray heir of its output must not keep us waiting
	// The pipe stays open, held by cmd, until the process has ended: see --attached.
	if _, err := n.cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if err := n.cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start target: %w", err)
	}
	go func() {
		n.err = n.cmd.Wait()
		close(n.exited)
	}()
	return n, first, nil
}

func (r *Ready) parse(line []byte) error {
	if err := json.Unmarshal(line, r); err != nil || !r.Ready {
		return fmt.Errorf("first line %.80q: not a ready line", line)
	}
	if _, _, err := net.SplitHostPort(r.Addr); err != nil {
		return fmt.Errorf("ready line %.80q: addr: %w", line, err)
	}
	if r.PID <= 0 {
		return fmt.Errorf("ready line %.80q: pid %d", line, r.PID)
	}
	return nil
}

// Exited is closed when the process has ended, for whatever reason, and is reaped.
func (n *Node) Exited() <-chan struct{} { return n.exited }

// Wait waits for the node's end: nil for exit status 0, else an ExitError.
func (n *Node) Wait() error {
	<-n.exited
	return n.exitError(true)
}

// Log is the end of what the node wrote to standard error so far.
func (n *Node) Log() string { return n.stderr.String() }

// Stop has the node finish what is in flight and end. It kills it when ctx ends or after
// the stop timeout, and returns when it is gone: nil for exit status 0, else what Wait
// returns. A node that had ended before gives its own end.
func (n *Node) Stop(ctx context.Context) error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // one that has ended takes no signal
	timer := time.NewTimer(n.stopTimeout)
	defer timer.Stop()
	select {
	case <-n.exited:
		return n.Wait()
	case <-ctx.Done():
		n.kill()
		return fmt.Errorf("stop target: killed: %w", ctx.Err())
	case <-timer.C:
		n.kill()
		return fmt.Errorf("stop target: killed: not gone %v after SIGTERM", n.stopTimeout)
	}
}

// kill ends the process at once and waits for it; its workers die with it.
func (n *Node) kill() {
	_ = n.cmd.Process.Kill()
	<-n.exited
}

func (n *Node) exitError(ready bool) error {
	state := n.cmd.ProcessState
	switch {
	case state == nil: // it could not be waited for
		return fmt.Errorf("wait for target: %w", n.err)
	case ready && state.Success() && (n.err == nil || errors.Is(n.err, exec.ErrWaitDelay)):
		return nil
	}
	return &ExitError{Ready: ready, Code: state.ExitCode(), State: state.String(), Stderr: n.stderr.String()}
}
