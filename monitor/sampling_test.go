package monitor

import (
	"testing"
	"time"
)

// TestNextSlot checks that a late sampler leaves out what has passed and keeps
// to the planned instants. Intervals are 1 s of 10 slots, times in ms.
func TestNextSlot(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		at, now       int
		want, skipped int
	}{
		{"in time", 3, 310, 4, 0},
		{"late by a slot", 3, 420, 4, 0},
		{"late by two", 3, 520, 5, 0},
		{"past a row", 3, 1150, 10, 0},
		{"past a row, from a row", 10, 2150, 20, 0},
		{"past three rows", 3, 3990, 30, 2},
		{"last slot", 9, 910, 10, 0},
		{"from a row", 10, 1001, 11, 0},
	} {
		r := sampling{Sampler: Sampler{Interval: time.Second}, slots: 10, slot: 100 * time.Millisecond}
		got := r.next(tc.at, time.Duration(tc.now)*time.Millisecond)
		if got != tc.want || r.skipped != tc.skipped {
			t.Errorf("%s: slot %d and %d rows skipped, want %d and %d", tc.name, got, r.skipped, tc.want, tc.skipped)
		}
	}
}
