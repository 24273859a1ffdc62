package batch

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// A table tells what each trial has come to: those with a result, the one in
// progress while there is a coordinator, and what failed.
func TestATableFollowsABatch(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), planOf(t, small+"retries: 0\n")
	f := NewFolder(dir)
	table := NewTable(f, p)
	release, err := f.Lock() // as a coordinator has it
	if err != nil {
		t.Fatal(err)
	}
	count := func(rows []Row) map[State]int {
		n := map[State]int{}
		for _, r := range rows {
			n[r.State]++
		}
		return n
	}
	const second, third = 2, 3
	sim := &simulator{before: func(_ context.Context, n int32) error {
		switch n {
		case second:
			return errors.New("no such machine")
		case third:
			// The coordinator hears of the claim a moment after the trial begins.
			rows, status, err := table.Look()
			for deadline := time.Now().Add(time.Minute); err == nil && count(rows)[Claimed] == 0 && time.Now().Before(deadline); {
				runtime.Gosched()
				rows, status, err = table.Look()
			}
			got := count(rows)
			if err != nil || got[Done] != 1 || got[Failed] != 1 || got[Claimed] != 1 || got[Planned] != len(p.Trials)-3 || status.Failed != 1 {
				t.Errorf("in between: %v, %+v, %v", got, status, err)
			}
			if r := rows[0]; r.State != Done || r.Verdict == "" || r.Attempt != 1 || r.ID != p.Trials[0].ID {
				t.Errorf("the first: %+v", r)
			}
		}
		return nil
	}}
	if _, err := local(dir, p, sim).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	release()
	rows, status, err := table.Look()
	if got := count(rows); err != nil || got[Done] != len(p.Trials)-1 || got[Failed] != 1 || status.Done != len(p.Trials)-1 {
		t.Errorf("afterwards: %v, %+v, %v", got, status, err)
	}
}
