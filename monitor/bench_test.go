package monitor

import (
	"runtime"
	"testing"
)

// cpu reports the CPU time of a call beside the wall time, which on a shared
// machine has the neighbours' in it.
func cpu(b *testing.B, call func() error) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin, err := threadClock()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
	end, err := threadClock()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(end-begin)/float64(b.N), "cpu-ns/op")
}

// benchTree is a node with 15 workers of 100 MiB each, what the bundled node's
// share. A rollup of such a forked worker, whose pages are its template's, costs
// some 600 µs of CPU time where one of these takes 50: the figures below are
// for comparing versions of the sampler, not for its cost in a run, which is a
// column of monitor.csv.
func benchTree(b *testing.B) *Tree {
	b.Helper()
	n := startNode(b)
	for range 15 {
		n.spawn(b, "edge-worker", "alloc", "100")
	}
	tree := watch(b, liveFS(b), n.pid)
	if row := look(b, tree); row.Workers != 15 || row.PSSMissing != 0 {
		b.Fatalf("%+v", row)
	}
	return tree
}

// BenchmarkSearch is what a row begins with: state and CPU time of 16
// processes, and the search through all their threads, some 70 of these test
// binaries. A forked worker has one.
func BenchmarkSearch(b *testing.B) {
	tree := benchTree(b)
	cpu(b, func() error { return tree.sweep(true) })
}

// BenchmarkSweep is a slot in which nothing was started.
func BenchmarkSweep(b *testing.B) {
	tree := benchTree(b)
	cpu(b, func() error { return tree.sweep(false) })
}

// BenchmarkMeasure is what a row adds: 16 resident sizes and the sums.
func BenchmarkMeasure(b *testing.B) {
	tree := benchTree(b)
	cpu(b, func() error {
		var row Row
		return tree.measure(&row, 0)
	})
}

// BenchmarkRollup is one process's PSS.
func BenchmarkRollup(b *testing.B) {
	tree := benchTree(b)
	cpu(b, func() error {
		_, err := tree.readOldest(1, 0, 0)
		return err
	})
}
