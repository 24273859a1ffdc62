package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Served is a batch whose workers are other processes, on this machine or
// others: a coordinator and the store they share.
type Served struct {
	Folder   Folder
	Plan     *Plan
	Listen   *Listen // where workers join; nil with Access
	Access   *Access // somebody else's server
	Deadline time.Time
	Timing   Timing // zero for the default
	Notice   io.Writer
	Progress func(Status)
	Ready    func(url string) // once workers may join
	// Drain, when it is closed, lets the trials in progress end and begins no other.
	Drain   <-chan struct{}
	Program Program // loadgen, for trials that several workers make together
	MinFree int64   // bytes; 0 for the default
	Mirror  string  // folder that results are copied to; "" for none
}

// Run coordinates until the batch is over, drained or cancelled; the end of ctx
// cancels it. Only one process may do so in a folder (Folder.Lock).
func (v Served) Run(ctx context.Context) (status Status, err error) {
	if err := v.Folder.Room(v.MinFree); err != nil {
		return Status{}, err
	}
	store, err := v.open(ctx)
	if err != nil {
		return Status{}, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := &Coordinator{
		Plan: v.Plan, Deadline: v.Deadline, Folder: v.Folder, Notice: v.Notice, Timing: v.Timing, Drain: v.Drain,
		MinFree: v.MinFree, Mirror: v.Mirror,
		Progress: v.Folder.telling(v.Notice, v.Progress),
	}
	if v.Access != nil {
		release, err := v.reserve(ctx, store)
		if err != nil {
			return Status{}, err
		}
		defer release()
	}
	if err := c.Open(ctx, store); err != nil {
		return Status{}, err
	}
	defer c.Close()
	if v.Ready != nil {
		v.Ready(store.URL())
	}
	conducted := v.conduct(ctx, store, c.terms.Timing)
	status, err = c.Run(ctx)
	err = errors.Join(err, conducted())
	if v.Access != nil && err == nil && status.Complete() {
		err = store.forget(ctx)
	}
	return status, errors.Join(err, v.Folder.Tell(status))
}

// conduct has a worker of our own make the trials that several make together;
// ended stops it and tells how it ended.
func (v Served) conduct(ctx context.Context, s *Store, timing Timing) (ended func() error) {
	if v.Plan.Batch.Generators == 0 {
		return func() error { return nil }
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		w := &Worker{
			Name: roleConductor, Node: roleConductor, Role: roleConductor, Version: v.Plan.Version, Scratch: v.Folder.Attempts(),
			Runner:  &Conductor{Store: s, Batch: v.Plan.Batch, Version: v.Plan.Version, Timing: timing, Program: v.Program, Notice: v.Notice},
			MinFree: v.MinFree, Notice: v.Notice, Beside: true, Patience: serverPatience,
		}
		err := w.Join(s)
		if err == nil {
			err = w.Work(ctx)
		}
		done <- err
	}()
	return func() error {
		stop()
		return errors.Join(<-done, os.RemoveAll(v.Folder.Attempts()))
	}
}

func (v Served) open(ctx context.Context) (*Store, error) {
	if v.Access != nil {
		return DialPatiently(ctx, *v.Access, serverPatience, func(err error) { fmt.Fprintf(v.Notice, "%v: waiting for it\n", err) })
	}
	return OpenStore(ctx, v.Folder.Store(), v.Listen)
}

// serverPatience is how long a coordinator waits for somebody else's server.
const serverPatience = time.Minute

// telling writes each status for others to read, and passes it on.
func (f Folder) telling(notice io.Writer, on func(Status)) func(Status) {
	return func(s Status) {
		if err := f.Tell(s); err != nil {
			fmt.Fprintf(notice, "%v\n", err)
		}
		if on != nil {
			on(s)
		}
	}
}
