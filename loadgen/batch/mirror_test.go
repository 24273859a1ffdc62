package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAMirrorIsABatchFolder(t *testing.T) {
	t.Parallel()
	p := planOf(t, strings.Replace(small, "trials: 4", "trials: 1", 1))
	from, to := NewFolder(t.TempDir()), NewFolder(filepath.Join(t.TempDir(), "shared"))
	if err := from.Save(p, []byte(small)); err != nil {
		t.Fatal(err)
	}
	l := local(from.dir, p, &simulator{})
	l.Mirror = to.dir
	if status, err := l.Run(t.Context()); err != nil || !status.Complete() {
		t.Fatalf("%+v, %v", status, err)
	}
	there := func() {
		t.Helper()
		if status, err := to.Status(p); err != nil || !status.Complete() {
			t.Errorf("%+v, %v", status, err)
		}
	}
	there()
	// A damaged copy is made again by the next coordinator.
	if err := os.WriteFile(filepath.Join(to.Results().path(p.Trials[0].ID), RunDir, "events.jsonl"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	there()
	// One that cannot be made is told of, and does not end the batch.
	if err := os.RemoveAll(filepath.Join(to.dir, resultsDir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to.dir, resultsDir), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if status, err := l.Run(t.Context()); err != nil || !status.Complete() {
		t.Errorf("%+v, %v", status, err)
	}
	events, err := from.Events()
	told := 0
	for _, e := range events {
		if e.Kind == EventMirror {
			told++
		}
	}
	if err != nil || told == 0 {
		t.Errorf("%d failed copies told of, %v", told, err)
	}
}
