package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// A Host is a machine logged in to.
type Host struct {
	client *ssh.Client
	at     Address
	files  *sftp.Client
	ended  chan struct{}
}

// A machine that does not answer for three of these is given up: TCP alone would
// wait for hours.
const aliveEvery = 15 * time.Second

func newHost(client *ssh.Client, a Address) *Host {
	h := &Host{client: client, at: a, ended: make(chan struct{})}
	go func() { client.Wait(); close(h.ended) }()
	go h.keepAlive()
	return h
}

func (h *Host) keepAlive() {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	answered := make(chan struct{}, 1)
	answered <- struct{}{}
	missed := 0
	for {
		select {
		case <-h.ended:
			return
		case <-tick.C:
		}
		select {
		case <-answered:
			missed = 0
			go func() {
				if _, _, err := h.client.SendRequest("keepalive@openssh.com", true, nil); err == nil {
					answered <- struct{}{}
				}
			}()
		default:
			if missed++; missed == 3 {
				h.client.Close()
				return
			}
		}
	}
}

// A CommandError is a command that ended badly on a host.
type CommandError struct {
	Command string // its name and arguments
	Code    int    // exit status; -1 when a signal or the connection ended it
	Signal  string // that ended it, if one did
	Stderr  string // the end of it
}

func (e *CommandError) Error() string {
	how := fmt.Sprintf("exit status %d", e.Code)
	if e.Code < 0 {
		how = "ended by signal " + e.Signal
		if e.Signal == "" {
			how = "connection lost"
		}
	}
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		return fmt.Sprintf("%s: %s", e.Command, how)
	}
	return fmt.Sprintf("%s: %s: %s", e.Command, how, text)
}

// A Script is a program for /bin/sh, shown in errors by its name. Its last line
// has to be the one that acts, so that a script cut short by a lost connection
// does nothing.
type Script struct{ Name, Text string }

// maxOutput bounds what is kept of a script's output, in bytes: lists of 100,000
// files with their sums.
const maxOutput = 32 << 20

// maxStderr bounds what an error quotes, in bytes.
const maxStderr = 4 << 10

// Run gives the script to /bin/sh on the host, by standard input: so no login
// shell has to be trusted with the quoting of more than the arguments. It returns
// standard output.
func (h *Host) Run(ctx context.Context, s Script, args ...string) (string, error) {
	line := "exec /bin/sh -s"
	for _, arg := range args {
		quoted, err := quote(arg)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.Name, err)
		}
		line += " " + quoted
	}
	session, err := h.client.NewSession()
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Name, err)
	}
	defer session.Close()
	stdout, stderr := limited{most: maxOutput}, limited{most: maxStderr, tail: true}
	session.Stdin, session.Stdout, session.Stderr = strings.NewReader(s.Text), &stdout, &stderr
	// Neither end of a connection that hangs says so: closing it ends the wait.
	stop := context.AfterFunc(ctx, func() { h.client.Close() })
	defer stop()
	err = session.Run(line)
	command := strings.Join(append([]string{s.Name}, args...), " ")
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", command, context.Cause(ctx))
	case err == nil && stdout.cut:
		return "", fmt.Errorf("%s: more than %d MB of output", command, maxOutput>>20)
	case err == nil:
		return stdout.String(), nil
	}
	failed := &CommandError{Command: command, Code: -1, Stderr: stderr.String()}
	if exit, ok := errors.AsType[*ssh.ExitError](err); ok {
		failed.Code, failed.Signal = exit.ExitStatus(), exit.Signal()
		if failed.Signal != "" {
			failed.Code = -1
		}
	}
	return stdout.String(), failed
}

// Files is the host's files by sftp, opened once.
func (h *Host) Files() (*sftp.Client, error) {
	if h.files != nil {
		return h.files, nil
	}
	files, err := sftp.NewClient(h.client)
	if err != nil {
		return nil, fmt.Errorf("sftp: %w (it wants sshd's sftp subsystem, and a login shell whose start-up files print nothing)", err)
	}
	h.files = files
	return files, nil
}

// Within closes the connection when ctx ends before release is called: transfers
// of files know no context.
func (h *Host) Within(ctx context.Context) (release func() bool) {
	return context.AfterFunc(ctx, func() { h.client.Close() })
}

// Close ends the connection.
func (h *Host) Close() error {
	var err error
	if h.files != nil {
		err = h.files.Close()
	}
	return errors.Join(err, h.client.Close())
}
