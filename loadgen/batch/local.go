package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A Local is a batch on one machine: coordinator, store and one worker in this
// process, without a port; runs in processes of their own.
type Local struct {
	Folder   Folder
	Plan     *Plan
	Runner   Runner
	Deadline time.Time
	Notice   io.Writer
	Progress func(Status)
	MinFree  int64  // bytes; 0 for the default
	Mirror   string // folder that results are copied to; "" for none
	Clear    func(context.Context) ([]string, error)
}

// Run makes the trials that are not done yet. A cancelled ctx ends the trial in
// progress, which is made again by the next Run; the status tells how far it came.
func (l Local) Run(ctx context.Context) (status Status, err error) {
	if err := l.Folder.Room(l.MinFree); err != nil {
		return Status{}, err
	}
	store, err := OpenStore(ctx, l.Folder.Store(), nil)
	if err != nil {
		return Status{}, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := &Coordinator{Plan: l.Plan, Deadline: l.Deadline, Folder: l.Folder, Notice: l.Notice, Progress: l.Folder.telling(l.Notice, l.Progress), Alone: true, MinFree: l.MinFree, Mirror: l.Mirror}
	if err := c.Open(ctx, store); err != nil {
		return Status{}, err
	}
	defer c.Close()
	host, err := os.Hostname()
	if err != nil {
		return Status{}, err
	}
	w := &Worker{
		Name: fmt.Sprintf("%s-%d", host, os.Getpid()), Node: host, Version: l.Plan.Version,
		Scratch: l.Folder.Attempts(), Clear: l.Clear, MinFree: l.MinFree, Runner: l.Runner, Notice: l.Notice, Beside: true,
	}
	if err := w.Join(store); err != nil {
		return Status{}, err
	}
	// The worker ends with the coordinator, and the coordinator with a worker that
	// cannot go on: there is no other.
	coordinating, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	working, rest := context.WithCancel(ctx)
	var (
		wg      sync.WaitGroup
		workErr error
	)
	wg.Go(func() {
		defer end()
		workErr = w.Work(working)
	})
	status, err = c.Run(coordinating)
	rest()
	wg.Wait()
	return status, errors.Join(err, workErr, l.Folder.Tell(status), os.RemoveAll(l.Folder.Attempts()))
}
