package monitor

import "testing"

// benchTree is a node with 15 workers of 100 MB, the size that the bundled
// node runs with.
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

// BenchmarkSweep is what each slot costs: state and CPU time of 16 processes,
// and the search for new ones.
func BenchmarkSweep(b *testing.B) {
	tree := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := tree.sweep(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMeasure is what a row adds: 16 resident sizes and the sums.
func BenchmarkMeasure(b *testing.B) {
	tree := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		var row Row
		if err := tree.measure(&row, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRollup is one process's PSS.
func BenchmarkRollup(b *testing.B) {
	tree := benchTree(b)
	b.ReportAllocs()
	for b.Loop() {
		if read, err := tree.readOldest(1, 0, 0); err != nil || read != 1 {
			b.Fatal(read, err)
		}
	}
}
