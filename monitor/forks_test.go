package monitor

import (
	"os"
	"path/filepath"
	"testing"
)

// TestForks asks after each state of loadavg whether to search.
func TestForks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "loadavg")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0.12 0.10 0.09 1/156 100\n")
	f, err := NewFS(dir)
	if err != nil {
		t.Fatal(err)
	}
	var asked forks
	asked.open(f)
	defer asked.close()
	for i, step := range []struct {
		text string
		want bool
	}{
		{"", true}, // the first
		{"", true}, // once more
		{"", false},
		{"0.99 0.10 0.09 2/157 100\n", false},
		{"0.99 0.10 0.09 2/157 101\n", true},
		{"", true},
		{"", false},
		{"0.99 0.10 0.09 2/157 3\n", true}, // pids are given out in a circle
		{"damaged", true},
		{"damaged", true},
	} {
		if step.text != "" {
			write(step.text)
		}
		if got := asked.since(make([]byte, 64)); got != step.want {
			t.Errorf("step %d, %q: %t, want %t", i, step.text, got, step.want)
		}
	}
}

// TestSweepWithoutSearch has a captured tree that gains a worker: found at
// once when loadavg tells of it or when everything is asked for.
func TestSweepWithoutSearch(t *testing.T) {
	t.Parallel()
	f, dir := captured(t)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("loadavg", "0 0 0 1/9 7109\n")
	list := "7086/task/7086/children"
	write(list, "7092")
	tree := watch(t, f, 7086)
	for range 3 { // the first, once more, and one that has nothing to look for
		if err := tree.sweep(false); err != nil {
			t.Fatal(err)
		}
	}
	write(list, "7092 7101")
	for i, step := range []struct {
		loadavg    string
		everything bool
		want       int
	}{
		{"0 0 0 1/9 7109\n", false, 3},
		{"0 0 0 1/9 7110\n", false, 4},
		{"0 0 0 1/9 7110\n", true, 4},
	} {
		write("loadavg", step.loadavg)
		if err := tree.sweep(step.everything); err != nil {
			t.Fatal(err)
		}
		if len(tree.order) != step.want {
			t.Errorf("step %d: %d processes, want %d", i, len(tree.order), step.want)
		}
	}
}
