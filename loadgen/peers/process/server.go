package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Server is a program that runs until it is stopped.
type Server struct {
	command Command
	cmd     *exec.Cmd
	stderr  *bytes.Buffer // to be read after ended
	ended   chan struct{}
	err     error // of Wait, to be read after ended
	stop    sync.Once
}

// Serve starts a server. Its standard output goes to stdout, its standard
// input is stdin; nil for none.
func Serve(ctx context.Context, c Command, stdin io.Reader, stdout io.Writer) (*Server, error) {
	s := &Server{command: c, cmd: c.cmd(ctx), stderr: &bytes.Buffer{}, ended: make(chan struct{})}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = stdin, stdout, s.stderr
	if err := startPinned(s.cmd, c.Core); err != nil {
		return nil, err
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	return s, nil
}

// Ended is closed when the server has ended, on its own or stopped.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Fault says why a server that has ended did.
func (s *Server) Fault() error {
	err := s.err
	if err == nil {
		err = errors.New("ended on its own")
	}
	return s.command.fault(context.Background(), err, s.stderr.String())
}

// Stop asks the server to end, ends it when it does not, and waits.
func (s *Server) Stop() {
	s.stop.Do(func() {
		pid := s.cmd.Process.Pid
		select {
		case <-s.ended: // the id may be somebody else's by now
			return
		default:
		}
		_ = unix.Kill(-pid, unix.SIGTERM) // it may have ended meanwhile
		select {
		case <-s.ended:
		case <-time.After(grace):
			_ = unix.Kill(-pid, unix.SIGKILL)
			<-s.ended
		}
	})
}

// retry is the pause between two attempts to connect: a port that is not
// listened on refuses at once.
const retry = 5 * time.Millisecond

// Reachable waits until the server takes connections at address.
func (s *Server) Reachable(ctx context.Context, address string) error {
	ticker := time.NewTicker(retry)
	defer ticker.Stop()
	for {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ticker.C:
		case <-s.ended:
			return s.Fault()
		case <-ctx.Done():
			return fmt.Errorf("%s does not take connections: %w", address, err)
		}
	}
}
