package live

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgebench/analysis/rundir"
)

// kept is a run of the main job.
var kept = filepath.Join("..", "..", "analysis", "testdata", "bursty-ramp")

func replayed(t *testing.T, dir string, speed float64) story {
	t.Helper()
	r, err := OpenReplay(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := NewFeed()
	r.Play(t.Context(), f, speed, "valid")
	var told story
	if err := json.Unmarshal((<-f.watch(0).queue).data, &told); err != nil {
		t.Fatal(err)
	}
	return told
}

// A replay ends where the run did, at once or at a speed.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, speed := range []float64{0, 1e6} {
		told := replayed(t, kept, speed)
		if told.Totals.Scheduled != 2794 || told.Totals.OK != 2794 || told.Head.Planned != 2794 || told.End.Verdict != "valid" || told.Head.Simulated {
			t.Errorf("speed %g: %+v, %+v, %+v", speed, told.Totals, told.Head, told.End)
		}
		for name, column := range map[string]int{groupSecond: 1, groupMemory: 2} {
			if values := told.Groups[name].Values; len(values[0]) == 0 || len(values[column]) != len(values[0]) {
				t.Errorf("speed %g: group %s has %d rows", speed, name, len(values[0]))
			}
		}
		if len(told.Marks) == 0 || len(told.Log) == 0 || !strings.HasPrefix(told.Head.Note, "replay") {
			t.Errorf("speed %g: %d marks, %d lines, note %q", speed, len(told.Marks), len(told.Log), told.Head.Note)
		}
	}
}

func TestReplaySaysWhatIsSimulated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, rundir.ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), `"producer": "loadgen"`, `"producer": "twin"`, 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if told := replayed(t, dir, 0); !told.Head.Simulated {
		t.Error("a simulated run is shown as measured")
	}
}

// A replay that nobody wants to see to its end says so; a folder that is no run
// is refused.
func TestReplayStops(t *testing.T) {
	t.Parallel()
	r, err := OpenReplay(kept)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := NewFeed()
	r.Play(ctx, f, 1, "valid")
	if f.story.End == nil || f.story.Totals.Scheduled != 0 {
		t.Errorf("%+v", f.story.Totals)
	}
	if _, err := OpenReplay(t.TempDir()); !errors.Is(err, rundir.ErrNotARun) {
		t.Errorf("an empty folder: %v", err)
	}
}
