package monitor

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"time"
)

// A Busy is a process that uses CPU time.
type Busy struct {
	PID   int     `json:"pid"`
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of one core
}

// leastBusy is the share of a core from which a process counts: below it the
// clock ticks of a short look say nothing.
const leastBusy = 0.2

// Busy looks twice at every process, window apart, and returns those that used
// a fifth of a core or more in between, but not our own, the busiest first.
// A process that ends or starts meanwhile is not in it.
func (f FS) Busy(ctx context.Context, window time.Duration) ([]Busy, error) {
	before, err := f.cpuTimes()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	timer := time.NewTimer(window)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	after, err := f.cpuTimes()
	if err != nil {
		return nil, err
	}
	passed := time.Since(begin).Seconds()
	var out []Busy
	for pid, now := range after {
		old, ok := before[pid]
		if !ok || old.start != now.start || pid == os.Getpid() {
			continue
		}
		if share := (now.own - old.own).Seconds() / passed; share >= leastBusy {
			out = append(out, Busy{pid, now.name, share})
		}
	}
	slices.SortFunc(out, func(a, b Busy) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.PID, b.PID))
	})
	return out, nil
}

// A cpuTime is what one process has used.
type cpuTime struct {
	name  string
	start int64
	own   time.Duration
}

func (f FS) cpuTimes() (map[int]cpuTime, error) {
	names, err := os.ReadDir(f.proc)
	if err != nil {
		return nil, err
	}
	out := make(map[int]cpuTime, len(names))
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // no process
		}
		path := f.of(pid, "stat")
		text, err := os.ReadFile(path)
		if err != nil {
			if vanished(err) || absent(err) {
				continue
			}
			return nil, err
		}
		s, err := parseStat(path, text)
		if err != nil {
			return nil, err
		}
		out[pid] = cpuTime{string(s.comm), s.start, s.own}
	}
	return out, nil
}
