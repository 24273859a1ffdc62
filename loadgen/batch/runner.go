package batch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// A Runner makes one run of a profile and returns its sealed run directory below
// dir. The context ends it; it leaves no process behind.
type Runner interface {
	Run(ctx context.Context, profile, dir string, seed uint64) (run string, verdict analysis.Verdict, err error)
}

// A Program runs trials as `loadgen run` in a process of its own, so that neither
// the store nor another trial shares its memory, and a crash is a failed attempt.
type Program struct {
	Path string // of loadgen
	Mark string // tells its processes from those of others; "" for none
}

// Clear ends what an earlier run left behind, and names it.
func (p Program) Clear(ctx context.Context) ([]string, error) {
	return clearMarked(ctx, "/proc", p.Mark)
}

// Exit codes of `loadgen run` that come with a whole run directory (DESIGN.md).
const (
	exitOK               = 0
	exitThresholdsFailed = 10
	exitInvalid          = 11
)

// Run implements Runner.
func (p Program) Run(ctx context.Context, profile, dir string, seed uint64) (string, analysis.Verdict, error) {
	err := p.quietly(ctx, "run", profile, "--seed", fmt.Sprint(seed), "--out", dir, "--quiet", "--json", "--yes") // who began the batch was asked
	if err != nil {
		return "", "", err
	}
	return sealedIn(dir)
}

// quietly runs a command whose output nobody reads.
func (p Program) quietly(ctx context.Context, args ...string) error {
	return p.converse(ctx, args, func(context.Context, io.WriteCloser, *bufio.Reader) error { return nil })
}

// converse runs a command while talk speaks with it; the end of either ends both.
// The error is nil when a run directory was made.
func (p Program) converse(ctx context.Context, args []string, talk func(context.Context, io.WriteCloser, *bufio.Reader) error) error {
	// The kernel kills the child with the thread that started it (PDEATHSIG), so
	// this thread has to stay: a worker that is killed takes its run along.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Env = append(os.Environ(), markVariable+"="+p.Mark)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Kill() } // its node dies with it
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewReader(stdout)
	talked := talk(ctx, in, out)
	if talked != nil {
		_ = cmd.Process.Kill() // one that has ended is not there to be killed
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case talked != nil:
		return talked
	case err != nil && !errors.As(err, &exit):
		return err
	}
	switch code := cmd.ProcessState.ExitCode(); code {
	case exitOK, exitThresholdsFailed, exitInvalid:
		return nil
	}
	return fmt.Errorf("%s: %s", cmd.ProcessState, lastLine(stderr.String()))
}

// sealedIn is the one run directory below dir, and its verdict.
func sealedIn(dir string) (run string, verdict analysis.Verdict, err error) {
	runs, _, err := rundir.List(dir)
	if err != nil {
		return "", "", err
	}
	if len(runs) != 1 {
		return "", "", fmt.Errorf("%d run directories in %s, want one", len(runs), dir)
	}
	summary, err := analysis.Summarize(runs[0])
	if err != nil {
		return "", "", err
	}
	return runs[0], summary.Verdict, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
