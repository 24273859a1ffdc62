package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"edgebench/loadgen/experiment"
)

// A stopper turns signals into the two ways of ending a run early: the first
// stops sending and drains, the second gives up what is still open. Ctrl-C,
// SIGTERM and SIGHUP mean the same. From then on a reader of the output who went
// away, as tee does at the same Ctrl-C, is an error of a write and not the end
// of the process: what was measured has yet to be written down.
type stopper struct {
	ctx    context.Context // done at the first signal, or when asked
	abort  chan struct{}   // closed at the second
	cancel context.CancelCauseFunc
	asked  chan error // signals of another kind
	quit   chan struct{}
	first  string // what the first signal brings, in words
	second string // "" where a second one adds nothing
	once   sync.Once
}

func newStopper(parent context.Context, notice io.Writer) *stopper {
	return stopperSaying(parent, notice, "no more requests, waiting for open ones (again: give them up)",
		"giving up open requests, writing what there is")
}

// newCalcStopper is for commands that only compute: nothing is open, so the first
// signal ends them.
func newCalcStopper(parent context.Context, notice io.Writer) *stopper {
	return stopperSaying(parent, notice, "stopping, what is finished is kept", "")
}

func stopperSaying(parent context.Context, notice io.Writer, first, second string) *stopper {
	ctx, cancel := context.WithCancelCause(parent)
	s := &stopper{ctx: ctx, cancel: cancel, abort: make(chan struct{}), asked: make(chan error), quit: make(chan struct{}), first: first, second: second}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // caught, not ignored: children would inherit that
	go s.watch(signals, notice)
	return s
}

func (s *stopper) watch(signals chan os.Signal, notice io.Writer) {
	defer signal.Stop(signals)
	for n := 0; ; {
		var (
			who   string
			cause error
		)
		select {
		case <-s.quit:
			return
		case sig := <-signals:
			who = sig.String()
		case cause = <-s.asked:
			who = cause.Error()
		}
		n++
		switch n {
		case 1:
			fmt.Fprintf(notice, "\n%s: %s\n", who, s.first)
			s.cancel(cause)
		case 2:
			if s.second != "" {
				fmt.Fprintf(notice, "\n%s: %s\n", who, s.second)
			}
			close(s.abort)
		}
	}
}

// ask counts as a signal, by another way; why goes into the manifest. It does
// nothing once the run is over.
func (s *stopper) ask(why string) {
	select {
	case s.asked <- experiment.Stop(why):
	case <-s.quit:
	}
}

func (s *stopper) close() { s.once.Do(func() { close(s.quit); s.cancel(nil) }) }
