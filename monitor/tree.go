package monitor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// A Tree is a node with its template and workers: the process it was made for
// and everything that descends from it. A process once found stays in the tree
// until it ends, also when its parent ends first. A Tree belongs to one goroutine.
type Tree struct {
	fs       FS
	pid      int
	pageSize int64

	order []*process // parents before children
	known map[int]*process
	gone  time.Duration // CPU time of processes that ended with no parent in the tree
	cpu   cpuAccount

	scan     bool // the kernel lists no children: look at every process
	forks    forks
	buf      []byte
	kids     []int
	rootGone bool
	unopened int // children that the last search could not open, so that nothing is known of them
}

// NewTree finds the process pid, which must exist.
func NewTree(f FS, pid int) (*Tree, error) {
	t := &Tree{
		fs: f, pid: pid, known: map[int]*process{}, pageSize: int64(os.Getpagesize()),
		// The longest text read is smaps_rollup, 800 bytes with all its keys.
		buf: make([]byte, 4096),
	}
	root, err := openProcess(f, pid, t.buf)
	if err != nil {
		return nil, fmt.Errorf("process to watch: %w", err)
	}
	root.root, root.role = true, RoleNode
	t.forks.open(f)
	t.order, t.known[pid] = []*process{root}, root
	t.scan = !f.hasChildren(pid)
	return t, nil
}

// Close closes the files of all processes.
func (t *Tree) Close() {
	for _, p := range t.order {
		p.close()
	}
	t.order, t.known = nil, map[int]*process{}
	t.forks.close()
}

// sweep reads the state and CPU time of every process and finds new ones. The
// search is left out where the kernel says that there are none, but not when
// everything is asked for.
//
// Parents are read before their children: a child that is reaped in between
// is then short in this sweep instead of counted twice in it.
//
// What fails for one process does not keep the others from being read: the
// errors come back joined, and the process is missing from the row.
func (t *Tree) sweep(everything bool) error {
	var errs []error
	for _, p := range t.order {
		if err := p.refresh(t.fs, t.buf); err != nil {
			errs = append(errs, err)
		}
	}
	if t.forks.since(t.buf) || everything {
		if err := t.discover(everything); err != nil {
			errs = append(errs, err)
		}
	}
	settle(t.order, t.known, &t.gone)
	t.bury()
	return errors.Join(errs...)
}

// discover adds the children of all processes, and their children: order grows
// while the loop walks it. Workers seldom have any and are most of the tree, so
// they are asked only when everything is.
func (t *Tree) discover(everything bool) error {
	var all map[int][]int
	if t.scan {
		var err error
		if all, err = t.fs.parents(); err != nil {
			return err
		}
	}
	var errs []error
	t.unopened = 0
	for i := 0; i < len(t.order); i++ {
		p := t.order[i]
		if p.dead || p.zombie || p.role == RoleWorker && !everything {
			continue
		}
		kids := all[p.pid]
		if !t.scan {
			var err error
			t.kids, err = t.fs.children(t.kids[:0], t.buf, p.pid, p.threads)
			if err != nil && !vanished(err) {
				errs = append(errs, err)
			}
			kids = t.kids
		}
		for _, pid := range kids {
			if err := t.adopt(pid); err != nil {
				t.unopened++
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// adopt adds the process pid, unless it is in the tree. Its stat must name a
// parent in the tree: the pid may have been given away since it was listed.
// A dead process of the same pid stays in order until it is buried.
func (t *Tree) adopt(pid int) error {
	if old := t.known[pid]; old != nil && !old.dead {
		return nil
	}
	p, err := openProcess(t.fs, pid, t.buf)
	if err != nil {
		return unlessVanished(err)
	}
	if t.known[p.ppid] == nil {
		p.close()
		return nil
	}
	t.known[pid] = p
	t.order = append(t.order, p)
	return nil
}

// bury removes the dead.
func (t *Tree) bury() {
	t.order = slices.DeleteFunc(t.order, func(p *process) bool {
		if p.dead {
			t.forget(p)
		}
		return p.dead
	})
}

func (t *Tree) forget(p *process) {
	if p.root && p.pid == t.pid {
		t.rootGone = true
	}
	if t.known[p.pid] == p {
		delete(t.known, p.pid)
	}
	p.close()
}

// used is the CPU time of the tree since its first sweep.
func (t *Tree) used() time.Duration {
	sum := t.gone
	for _, p := range t.order {
		sum += p.cpu.total()
	}
	return t.cpu.add(sum)
}
