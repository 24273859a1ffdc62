package monitor

import (
	"os"
	"testing"
	"time"
)

func TestOwnUsage(t *testing.T) {
	before, err := OwnUsage()
	if err != nil {
		t.Fatal(err)
	}
	burn(20 * time.Millisecond)
	after, err := OwnUsage()
	if err != nil {
		t.Fatal(err)
	}
	used := after.Since(before)
	// The kernel splits what it measured exactly by what the clock ticks found.
	if used.User+used.System < 20*time.Millisecond || used.User < 0 || used.System < 0 {
		t.Errorf("20 ms of work used %v and %v", used.User, used.System)
	}
	if same := after.Since(after); same != (Usage{}) {
		t.Errorf("nothing used: %+v", same)
	}
}

func TestOpenFiles(t *testing.T) {
	f := liveFS(t)
	before, err := f.openFiles()
	if err != nil || !before.Valid {
		t.Fatal(before, err)
	}
	var open []*os.File
	for range 50 {
		file, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, file)
	}
	after, err := f.openFiles()
	for _, file := range open {
		file.Close()
	}
	// Other tests of this process open and close files meanwhile.
	if err != nil || after.V < before.V+25 {
		t.Errorf("%d, and %d after 50 more: %v", before.V, after.V, err)
	}
	if n, err := (FS{proc: "testdata/quiet/proc"}).openFiles(); n.Valid || err != nil {
		t.Errorf("a captured /proc: %v, %v", n, err)
	}
}
