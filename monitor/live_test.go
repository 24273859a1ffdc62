package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRolesAndMemory(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	before := look(t, tree)
	if before.Processes != 1 || before.Workers != 0 || before.WorkersPSS.Valid {
		t.Errorf("a node alone: %+v", before)
	}
	const mb = 24
	n.spawn(t, "edge-template", "child", "edge-worker")
	n.spawn(t, "edge-worker", "alloc", "24")
	n.spawn(t, "stranger")
	got := look(t, tree)
	if got.Processes != 5 || got.Workers != 2 || got.Missing != 0 || got.PSSMissing != 0 {
		t.Fatalf("%+v, want 5 processes with 2 workers, one of them the template's", got)
	}
	for name, sum := range map[string]int64{
		"RSS": got.RSS.V - before.RSS.V, "USS": got.USS.V - before.USS.V, "workers' PSS": got.WorkersPSS.V,
	} {
		if sum < mb<<20 {
			t.Errorf("%s rose by %d bytes, want at least the %d MiB that were allocated", name, sum, mb)
		}
	}
	shares := got.NodePSS.V + got.TemplatePSS.V + got.WorkersPSS.V
	if got.USS.V > got.PSS.V || got.PSS.V > got.RSS.V || shares >= got.PSS.V {
		t.Errorf("USS %d ≤ PSS %d ≤ RSS %d, and %d without the stranger: out of order", got.USS.V, got.PSS.V, got.RSS.V, shares)
	}
}

// TestSharedPages has 4 workers that map the same 16 MiB: RSS counts them 4
// times and PSS once. The test holds no mapping of its own.
func TestSharedPages(t *testing.T) {
	t.Parallel()
	const size, workers = 16 << 20, 4
	path := filepath.Join(t.TempDir(), "shared")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	for range workers {
		n.spawn(t, "edge-worker", "map", path)
	}
	got := look(t, tree)
	if got.Workers != workers || got.PSSMissing != 0 {
		t.Fatalf("%+v", got)
	}
	if got.RSS.V < workers*size {
		t.Errorf("RSS %d, want at least %d", got.RSS.V, workers*size)
	}
	// 3 of 4 copies are not there. What the test binaries use beside them is
	// in RSS and PSS alike.
	if got.PSS.V < size || got.RSS.V-got.PSS.V < (workers-1)*size {
		t.Errorf("PSS %d with RSS %d, want it %d less", got.PSS.V, got.RSS.V, (workers-1)*size)
	}
}

func TestZombieIsMissing(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	pid := n.spawn(t, "edge-worker", "alloc", "8")
	look(t, tree)
	n.ask(t, "zombie %d", pid)
	got := look(t, tree)
	if got.Workers != 0 || got.Processes != 1 || got.Missing != 1 || got.PSSMissing != 1 || got.WorkersPSS.Valid {
		t.Errorf("%+v, want the zombie missing and in no sum", got)
	}
	n.ask(t, "reap %d", pid)
	if got = look(t, tree); got.Missing != 0 || got.Processes != 1 {
		t.Errorf("%+v, want nothing left of it", got)
	}
}

// TestVanishedDuringSweep kills a worker between the search and the reading.
func TestVanishedDuringSweep(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	pid := n.spawn(t, "edge-worker", "alloc", "8")
	if err := tree.sweep(true); err != nil {
		t.Fatal(err)
	}
	n.ask(t, "kill %d", pid)
	var row Row
	if _, err := tree.readOldest(len(tree.order), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := tree.measure(&row, 0); err != nil {
		t.Fatal(err)
	}
	if row.Missing != 1 || row.PSSMissing != 1 || row.WorkersPSS.Valid || !row.RSS.Valid {
		t.Errorf("%+v, want one missing and no sum for it", row)
	}
}

// TestWorkerOutlivesTemplate ends the parent of a worker: the worker stays.
func TestWorkerOutlivesTemplate(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	template := n.spawn(t, "edge-template", "child", "edge-worker")
	if got := look(t, tree); got.Workers != 1 || got.Processes != 3 {
		t.Fatalf("%+v", got)
	}
	// Not waited for, because that closes the input that the worker lives on.
	n.ask(t, "zombie %d", template)
	if got := look(t, tree); got.Workers != 1 || got.Processes != 2 || got.Missing != 1 {
		t.Errorf("%+v, want the worker without its template", got)
	}
}

// TestCPUOfEndedWorkers compares the account before and after a worker's end,
// with a parent that waits and with one that ignores SIGCHLD.
func TestCPUOfEndedWorkers(t *testing.T) {
	t.Parallel()
	for _, parent := range []string{"waits", "ignores"} {
		t.Run(parent, func(t *testing.T) {
			t.Parallel()
			// Counted twice, a worker's time shows in every attempt. On a crowded
			// machine something else may use as much in one of them.
			const attempts = 3
			for attempt := 1; ; attempt++ {
				alive, ended := endedWorker(t, parent)
				if ended-alive <= burnt/2 {
					return
				}
				t.Logf("%v after the worker's end, %v before", ended, alive)
				if attempt == attempts {
					t.Fatalf("counted twice in %d attempts", attempts)
				}
			}
		})
	}
}

// burnt is the CPU time of a worker that ends.
const burnt = 300 * time.Millisecond

// endedWorker returns the CPU time of a tree before and after the end of a
// worker. Its end and a look cost a few ms of CPU time at most.
func endedWorker(t *testing.T, parent string) (alive, ended time.Duration) {
	t.Helper()
	n := startNode(t)
	if parent == "ignores" {
		n.ask(t, "ignore")
	}
	tree := watch(t, liveFS(t), n.pid)
	look(t, tree)
	pid := n.spawn(t, "edge-worker", "burn", "300")
	alive = look(t, tree).CPU
	if alive < burnt {
		t.Errorf("%v with the worker running, want its %v", alive, burnt)
	}
	n.ask(t, "kill %d", pid)
	ended = look(t, tree).CPU
	if ended < alive {
		t.Errorf("%v after the worker's end, %v before", ended, alive)
	}
	return alive, ended
}

// TestExecKeepsPSS replaces a worker's memory by an exec: the kept rollup file
// belongs to the memory that is gone.
func TestExecKeepsPSS(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	pid := n.spawn(t, "before", "alloc", "8")
	look(t, tree)
	n.ask(t, "exec %d", pid)
	got := look(t, tree)
	if got.Workers != 1 || got.PSSMissing != 0 || !got.WorkersPSS.Valid {
		t.Errorf("%+v, want the worker's PSS after its exec", got)
	}
}

func TestNodeEnds(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree := watch(t, liveFS(t), n.pid)
	n.spawn(t, "edge-worker", "burn", "50")
	look(t, tree)
	before := tree.used()
	if err := n.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = n.cmd.Wait() // "signal: killed"
	got := look(t, tree)
	if got.Missing < 1 || got.NodePSS.Valid || got.CPU < before {
		t.Errorf("%+v, want the node missing and its CPU time kept (%v before)", got, before)
	}
}

func TestKeptFilesAreClosed(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	tree, err := NewTree(liveFS(t), n.pid)
	if err != nil {
		t.Fatal(err)
	}
	look(t, tree)
	// The paths are this node's alone, the numbers may be given out again.
	open := func() int {
		links, _ := filepath.Glob(Proc + "/self/fd/*")
		count := 0
		for _, link := range links {
			if path, _ := os.Readlink(link); strings.HasPrefix(path, fmt.Sprintf("%s/%d/", Proc, n.pid)) {
				count++
			}
		}
		return count
	}
	if n := open(); n != 3 {
		t.Errorf("%d files open, want stat, statm and smaps_rollup", n)
	}
	tree.Close()
	if n := open(); n != 0 {
		t.Errorf("%d files open after Close", n)
	}
}
