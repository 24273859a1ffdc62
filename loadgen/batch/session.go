package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"edgebench/analysis/rundir"
)

// errUnheard ends a session whose conductor is not heard of any more: nobody
// would put its part together with the others'.
var errUnheard = errors.New("the coordinator was not heard of for a lease")

// A session is one member's part of one trial, in a process of its own.
type session struct {
	id     string
	part   *Part
	order  order
	cancel context.CancelCauseFunc
	ended  chan struct{}
	start  chan startLine
	over   chan struct{} // closed when the target is to hand over
	once   sync.Once
	alive  *time.Timer // runs out when the conductor is silent

	mu sync.Mutex
	stage
}

// begin starts a session, which tells how far it is whenever it is asked.
func begin(p *Part, o order) *session {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &session{
		id: o.Session, part: p, order: o, cancel: cancel, ended: make(chan struct{}),
		start: make(chan startLine, 1), over: make(chan struct{}),
	}
	s.Stage = preparing
	s.alive = time.AfterFunc(o.Lease, func() { cancel(errUnheard) })
	go func() {
		defer close(s.ended)
		if err := s.run(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			fmt.Fprintf(p.Notice, "%v\n", err)
			s.set(func(a *stage) { a.Stage, a.Error = failed, err.Error() })
		}
	}()
	return s
}

func (s *session) set(change func(*stage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.stage)
}

// tell fills in how far the session is, for those whose it is.
func (s *session) tell(a *stage, of string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Session = s.id; of == s.id {
		a.Stage, a.Error, a.Addr, a.Object, a.SHA256 = s.Stage, s.Error, s.Addr, s.Object, s.SHA256
	}
}

func (s *session) heard() { s.alive.Reset(s.order.Lease) }

func (s *session) play(at startLine) {
	s.heard()
	select {
	case s.start <- at:
	default: // it has one
	}
}

func (s *session) finish() {
	s.heard()
	s.once.Do(func() { close(s.over) })
}

// end kills what is left of the session and waits until it is gone.
func (s *session) end() {
	s.cancel(errors.New("the trial was given up"))
	<-s.ended
	s.alive.Stop()
}

// arguments are the command line of the member's part.
func (s *session) arguments(profile, out string) []string {
	o := s.order
	common := []string{profile, "--seed", fmt.Sprint(o.Seed), "--out", out, "--quiet", "--start-at", "-"}
	if s.part.Role == RoleTarget {
		listen := s.part.Address
		if _, _, err := net.SplitHostPort(listen); err != nil {
			listen = net.JoinHostPort(listen, "0")
		}
		return append([]string{"node", "--listen", listen}, common...)
	}
	args := append([]string{"run", "--share", o.Share.String(), "--yes"}, common...) // who began the batch was asked
	if o.Node != "" {
		args = append(args, "--node", o.Node)
	}
	return args
}

// run is the part from its preparation to the object that holds its result.
func (s *session) run(ctx context.Context) error {
	dir, err := scratch(s.part.Scratch, s.id, 1)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	profile := filepath.Join(dir, "profile.yaml")
	if err := os.WriteFile(profile, s.order.Profile, privateFiles); err != nil {
		return err
	}
	runs := filepath.Join(dir, "runs")
	if err := s.part.Program.converse(ctx, s.arguments(profile, runs), s.converse); err != nil {
		return err
	}
	made, _, err := rundir.List(runs)
	if err == nil && len(made) != 1 {
		err = fmt.Errorf("%d run directories in %s, want one", len(made), runs)
	}
	if err != nil {
		return err
	}
	packed := filepath.Join(dir, "packed")
	sum, _, err := packFile(packed, made[0])
	if err != nil {
		return err
	}
	object := s.id + "/" + s.part.Name
	if err := s.part.put(ctx, object, packed); err != nil {
		return fmt.Errorf("result %s: %w", object, err)
	}
	s.set(func(a *stage) { a.Stage, a.Object, a.SHA256 = done, object, sum })
	return nil
}

// converse speaks with the process: its ready line, its start, and for a target
// the end of its input.
func (s *session) converse(ctx context.Context, in io.WriteCloser, out *bufio.Reader) error {
	line, err := out.ReadString('\n')
	if err != nil {
		return nil // it ended before, and its exit tells why
	}
	var hello struct {
		Ready bool   `json:"ready"`
		Addr  string `json:"addr"`
	}
	if err := json.Unmarshal([]byte(line), &hello); err != nil || !hello.Ready {
		return fmt.Errorf("%.80q is no ready line", line)
	}
	s.set(func(a *stage) { a.Stage, a.Addr = ready, hello.Addr })
	select {
	case at := <-s.start:
		data, err := json.Marshal(at)
		if err == nil {
			_, err = in.Write(append(data, '\n'))
		}
		if err != nil {
			return err
		}
		s.set(func(a *stage) { a.Stage = playing })
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.part.Role == RoleTarget {
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = io.Copy(io.Discard, out)
		}()
		select {
		case <-s.over:
		case <-ctx.Done():
		case <-gone: // the node is lost, or the keeper; its exit tells
		}
		err := in.Close()
		<-gone
		return err
	}
	return nil
}
