package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	MinFree int64  // bytes; 0 for the default
	Mirror  string // folder that results are copied to; "" for none
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
	if err := c.Open(ctx, store); err != nil {
		return Status{}, err
	}
	defer c.Close()
	if v.Ready != nil {
		v.Ready(store.URL())
	}
	status, err = c.Run(ctx)
	return status, errors.Join(err, v.Folder.Tell(status))
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
