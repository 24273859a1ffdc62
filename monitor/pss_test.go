package monitor

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	p := pace{asked: time.Second, current: time.Second, limit: 0.1}
	for i, step := range []struct {
		share float64
		want  time.Duration
	}{
		{0.02, 1}, {0.1, 1}, {0.11, 2}, {0.06, 2}, {0.11, 4}, {1, 8}, {1, 16}, {1, 16}, {0.026, 16}, {0.024, 8}, {0, 4}, {0, 2}, {0, 1}, {0, 1},
	} {
		if p.adjust(step.share); p.current != step.want*time.Second {
			t.Errorf("step %d, share %v: %v, want %v s", i, step.share, p.current, int(step.want))
		}
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	const slot = 100 * time.Millisecond
	for _, tc := range []struct {
		name                          string
		current                       time.Duration
		processes, unread, left, want int
	}{
		{"two a slot", time.Second, 17, 0, 5, 2},
		{"none", time.Second, 0, 0, 5, 0},
		{"one in a long interval", 16 * time.Second, 17, 0, 5, 1},
		{"all when the interval is shorter than a slot", 50 * time.Millisecond, 17, 0, 1, 17},
		{"new ones before the row", time.Second, 30, 15, 5, 3},
		{"new ones in the last slot", time.Second, 30, 15, 1, 15},
	} {
		p := pace{current: tc.current}
		if got := p.quota(tc.processes, tc.unread, tc.left, slot); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// TestPaceJudges has a sampler at 10 rows/s that uses 20 ms for its first row
// and then 15 ms for each: too much, but told only after a whole second.
func TestPaceJudges(t *testing.T) {
	t.Parallel()
	p := pace{asked: time.Second, current: time.Second, limit: 0.1}
	for row := range 21 {
		p.spent(time.Duration(row)*100*time.Millisecond, time.Duration(20+15*row)*time.Millisecond)
		want := time.Duration(1<<(row/10)) * time.Second
		if p.current != want {
			t.Errorf("row %d: %v, want %v", row, p.current, want)
		}
	}
}
