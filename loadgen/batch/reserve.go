package batch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// reserve makes this the only coordinator of the batch on somebody else's server:
// the folder's lock says nothing of folders on other machines.
func (v Served) reserve(ctx context.Context, s *Store) (release func(), err error) {
	timing := v.Timing
	if timing == (Timing{}) {
		timing = DefaultTiming
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(v.Folder.dir)
	if err != nil {
		return nil, err
	}
	// The folder again after a crash has the same name, and need not wait.
	holder := host + ":" + dir
	l, err := s.openLocks(ctx, timing)
	if err != nil {
		return nil, err
	}
	held, err := l.try(ctx, coordinatorLock, holder)
	for until := time.Now().Add(timing.Lease + timing.Beat); err == nil && !held && time.Now().Before(until) && ctx.Err() == nil; {
		pause(ctx, timing.Beat/5) // a lease tells whether that one lives
		held, err = l.try(ctx, coordinatorLock, holder)
	}
	if err == nil && !held {
		err = fmt.Errorf("%w: another coordinator has batch %s on this server: %s", ErrRefused, v.Plan.Name, l.holder(ctx, coordinatorLock))
	}
	if err != nil {
		return nil, err
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() {
		for renewing.Err() == nil {
			pause(renewing, timing.Beat)
			l.renew(renewing, coordinatorLock, holder)
		}
	})
	return func() {
		stop()
		wg.Wait()
		l.release(ctx, coordinatorLock, holder)
	}, nil
}

// coordinatorLock cannot be a node's name.
const coordinatorLock = "_coordinator"
