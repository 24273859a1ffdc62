package monitor

import (
	"testing"
	"time"
)

// TestSettle checks the account of ended children in each way that a parent
// can deal with them. Times are in seconds.
func TestSettle(t *testing.T) {
	t.Parallel()
	type change struct {
		ended  []time.Duration // own time, as last seen, of children that ended
		reaped time.Duration   // what the kernel added to the parent for them
	}
	for _, tc := range []struct {
		name   string
		before time.Duration // reaped when the parent was found
		steps  []change
		want   time.Duration // of the ended children
	}{
		{"waited for: the kernel's sum, with the last moments", 0, []change{{[]time.Duration{3, 4}, 9}}, 9},
		{"ignored: what we saw", 0, []change{{[]time.Duration{3, 4}, 0}}, 7},
		{"waited for, added after the parent was read", 0, []change{{[]time.Duration{3}, 0}, {nil, 5}}, 5},
		{"never seen", 0, []change{{nil, 2}}, 2},
		{"ignored after others were waited for", 50, []change{{[]time.Duration{3}, 50}}, 53},
		{"waited for after others were", 50, []change{{[]time.Duration{3}, 54}}, 54},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := &process{pid: 1, root: true, cpu: processCPU{reaped: tc.before, reapedBefore: tc.before}}
			known := map[int]*process{1: parent}
			for _, step := range tc.steps {
				order := []*process{parent}
				for i, own := range step.ended {
					order = append(order, &process{pid: 2 + i, ppid: 1, dead: true, cpu: processCPU{own: own}})
				}
				parent.cpu.reaped = max(parent.cpu.reaped, step.reaped)
				var gone time.Duration
				settle(order, known, &gone)
				if gone != 0 {
					t.Errorf("%v went to the tree's account, with a parent there", gone)
				}
			}
			if got := parent.cpu.total(); got != tc.want {
				t.Errorf("total %d, want %d", got, tc.want)
			}
		})
	}
}

// TestSettleBranch ends a template with its worker, and then the node: every
// time is kept once.
func TestSettleBranch(t *testing.T) {
	t.Parallel()
	node := &process{pid: 1, root: true, cpu: processCPU{own: 100}}
	template := &process{pid: 2, ppid: 1, dead: true, cpu: processCPU{own: 10, reaped: 5}}
	worker := &process{pid: 3, ppid: 2, dead: true, cpu: processCPU{own: 1}}
	orphan := &process{pid: 4, ppid: 77, dead: true, cpu: processCPU{own: 1000}}
	order := []*process{node, template, worker, orphan}
	known := map[int]*process{1: node, 2: template, 3: worker, 4: orphan}
	var gone time.Duration
	settle(order, known, &gone)
	if got := node.cpu.total(); got != 115 {
		t.Errorf("node %d, want 115: its own 100, the template's 10 and the 5 that it was given for its children", got)
	}
	if gone != 1000 {
		t.Errorf("without a parent %d, want 1000", gone)
	}
	node.dead = true
	settle(order[:1], known, &gone)
	if gone != 1115 {
		t.Errorf("after the node %d, want 1115", gone)
	}
}

func TestCPUAccountNeverFalls(t *testing.T) {
	t.Parallel()
	var a cpuAccount
	for i, step := range []struct{ sum, want time.Duration }{{50, 0}, {60, 10}, {55, 10}, {61, 11}} {
		if got := a.add(step.sum); got != step.want {
			t.Errorf("step %d: %d, want %d", i, got, step.want)
		}
	}
}
