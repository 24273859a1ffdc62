package monitor

import "time"

// processCPU is the CPU time of a process and of its ended children.
//
// A parent that waits for a child gets the child's time added to its own
// cutime and cstime (reaped); a parent that ignores SIGCHLD gets nothing. So the
// ended children of a process count with the larger of two sums: what the
// kernel has added to it, and what we saw of those children before they ended
// (owed). The first has their last moments and the children that we never saw;
// the second is there when the kernel's is not. Adding the two would count
// every worker twice.
type processCPU struct {
	own          time.Duration
	reaped       time.Duration
	reapedBefore time.Duration // reaped when the process was found
	owed         time.Duration // as last seen of children that ended since it was found
}

// total is the time of the process and of its ended children.
func (c processCPU) total() time.Duration {
	return c.own + c.reapedBefore + max(c.reaped-c.reapedBefore, c.owed)
}

// settle hands the time of dead processes to their parents, or to the account
// of the tree when the parent is outside or gone. order has parents before
// children, so going backwards a branch that died at once adds up to its root.
func settle(order []*process, known map[int]*process, gone *time.Duration) {
	for i := len(order) - 1; i >= 0; i-- {
		p := order[i]
		if !p.dead {
			continue
		}
		parent := known[p.ppid]
		if p.root || parent == nil || parent == p {
			*gone += p.cpu.total()
			continue
		}
		parent.cpu.owed += p.cpu.total()
	}
}

// A cpuAccount turns the tree's momentary sum into time used since the first
// sweep. The files are not read in one instant: a child that is reaped between
// the reading of its parent and its own is short in one sweep and back in the
// next, so the account never falls.
type cpuAccount struct {
	started bool
	base    time.Duration
	used    time.Duration
}

func (a *cpuAccount) add(sum time.Duration) time.Duration {
	if !a.started {
		a.started, a.base = true, sum
	}
	a.used = max(a.used, sum-a.base)
	return a.used
}
