package monitor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// captured is a copy of the captured tree that a test may change: a node
// (7086) with a template (7092), the template's worker (7097), a worker of the
// node's own (7101) and a zombie (7109).
func captured(t *testing.T) (FS, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/tree")); err != nil {
		t.Fatal(err)
	}
	f, err := NewFS(filepath.Join(dir, "proc"))
	if err != nil {
		t.Fatal(err)
	}
	return f, filepath.Join(dir, "proc")
}

func capturedRow() Row {
	known := func(n int64) Null[int64] { return Null[int64]{V: n, Valid: true} }
	return Row{
		Node: true, Workers: 2, Processes: 4, Missing: 1, PSSMissing: 1,
		RSS:         known((960 + 2458 + 923 + 1950) * int64(os.Getpagesize())),
		PSS:         known((1579 + 5520 + 1428 + 3488) << 10),
		NodePSS:     known(1579 << 10),
		TemplatePSS: known(5520 << 10),
		WorkersPSS:  known((1428 + 3488) << 10),
	}
}

func TestCapturedTree(t *testing.T) {
	t.Parallel()
	f, _ := captured(t)
	got := look(t, watch(t, f, 7086))
	want := capturedRow()
	if !got.USS.Valid || got.USS.V >= got.PSS.V {
		t.Errorf("USS %+v, want less than PSS %+v", got.USS, got.PSS)
	}
	want.USS = got.USS
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCapturedTreeWithoutChildren has a kernel without CONFIG_PROC_CHILDREN.
func TestCapturedTreeWithoutChildren(t *testing.T) {
	t.Parallel()
	f, dir := captured(t)
	lists, err := filepath.Glob(dir + "/*/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Fatal(lists, err)
	}
	for _, list := range lists {
		if err := os.Remove(list); err != nil {
			t.Fatal(err)
		}
	}
	got := look(t, watch(t, f, 7086))
	want := capturedRow()
	want.USS = got.USS
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPidUsedAgain gives a worker's pid to another process, first to another
// worker of the tree, then to a stranger.
func TestPidUsedAgain(t *testing.T) {
	t.Parallel()
	f, dir := captured(t)
	tree := watch(t, f, 7086)
	look(t, tree)
	first := tree.known[7101]

	edit(t, dir+"/7101/stat", " 374203 ", " 999999 ")
	edit(t, dir+"/7101/stat", " 0 0 0 2 4 0 0 20 ", " 0 0 0 1 0 0 0 20 ")
	row := look(t, tree)
	second := tree.known[7101]
	if second == first || second.start != 999999 || !first.dead {
		t.Fatalf("second %+v, first %+v", second, first)
	}
	if row.Workers != 2 || row.Missing != 1 {
		t.Errorf("%d workers, %d missing, want 2 and the zombie", row.Workers, row.Missing)
	}
	// 60 ms of the first were there at the start of the account.
	if row.CPU != 10*time.Millisecond {
		t.Errorf("CPU %v, want the second's 10 ms and no less for the first's end", row.CPU)
	}

	edit(t, dir+"/7101/stat", " 999999 ", " 1000000 ")
	edit(t, dir+"/7101/stat", " S 7086 ", " S 1 ")
	row = look(t, tree)
	if tree.known[7101] != nil || row.Workers != 1 {
		t.Errorf("%+v is in the tree with another parent, %d workers", tree.known[7101], row.Workers)
	}
}

// TestUnreadable damages one file at a time: the others still count, the error
// names the file and its text.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file, text, err string
		missing, pssMissing   int // with the zombie
	}{
		{"stat", "stat", "7101 edge-worker S", `7101/stat: "7101 edge-worker S": want a pid and a name`, 2, 2},
		{"statm", "statm", "none", `7101/statm: "none": want resident pages`, 2, 2},
		{"statm of an exiting process", "statm", "0 0 0 0 0 0 0\n", "", 2, 2},
		{"smaps_rollup", "smaps_rollup", "Rss: 5 kB\n", `7101/smaps_rollup: "Rss: 5 kB\n": want Rss, Pss`, 1, 2},
		{"children", "task/7101/children", "77 x", `7101/task/7101/children: "x": want a pid`, 1, 1},
		{"a new child's stat", "../8000/stat", "8000 edge-worker", `8000/stat: "8000 edge-worker": want a pid and a name`, 2, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f, dir := captured(t)
			tree := watch(t, f, 7086)
			if err := tree.sweep(true); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(
				os.Mkdir(dir+"/8000", 0o700),
				os.WriteFile(dir+"/7086/task/7088/children", []byte("8000 "), 0o600), // nobody, unless the case makes it
			); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+"/7101/"+tc.file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var row Row
			errSweep := tree.sweep(true)
			_, errPSS := tree.readOldest(len(tree.order), 0, 0)
			err := errors.Join(errSweep, errPSS, tree.measure(&row, 0))
			wantError(t, err, tc.err)
			if row.Missing != tc.missing || row.PSSMissing != tc.pssMissing {
				t.Errorf("missing %d and %d, want %d and %d", row.Missing, row.PSSMissing, tc.missing, tc.pssMissing)
			}
			if !row.RSS.Valid || !row.PSS.Valid {
				t.Errorf("no sums of the others: %+v", row)
			}
		})
	}
}

func TestNoTree(t *testing.T) {
	t.Parallel()
	f, dir := captured(t)
	if _, err := NewTree(f, 4711); !errors.Is(err, unix.ENOENT) || !strings.Contains(err.Error(), "4711") {
		t.Errorf("a pid that nobody has: %v", err)
	}
	if _, err := NewFS(dir + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := NewFS(dir + "/7086/stat"); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a file: %v", err)
	}
}

func edit(t *testing.T, path, old, replacement string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s: %q has no %q", path, text, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, replacement, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
