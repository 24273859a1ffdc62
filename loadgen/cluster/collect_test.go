package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func collectTo(dir string) func(context.Context, *Session) (string, error) {
	return func(ctx context.Context, s *Session) (string, error) { return Collect(ctx, s, dir) }
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 2)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, s := range servers {
		at := filepath.Join(s.Home, "edge/bench")
		writeFile(t, filepath.Join(at, "batches/night/results/t1/manifest.json"), []byte("{}\n"))
		writeFile(t, filepath.Join(at, "batches/night/results/t1/run/samples.csv.zst"), big)
		writeFile(t, filepath.Join(at, "batches/night/results/.partial-t2/manifest.json"), []byte("half"))
		writeFile(t, filepath.Join(at, "batches/night/store/jetstream/1.blk"), []byte("x"))
		writeFile(t, filepath.Join(at, "runs/a run/profile.yaml"), nil)
		writeFile(t, filepath.Join(at, "jobs/worker/log"), []byte("ready\n"))
		writeFile(t, filepath.Join(at, "token"), []byte("secret"))
	}
	out := t.TempDir()
	for _, o := range each(t, c, collectTo(out)) {
		if o.Did != "4 files, 4 of them new, 1.0 MB" {
			t.Errorf("%+v", o)
		}
	}
	var got []string
	err := filepath.WalkDir(filepath.Join(out, "n1"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			got = append(got, strings.TrimPrefix(path, out+"/n1/"))
		}
		return err
	})
	want := "batches/night/results/t1/manifest.json batches/night/results/t1/run/samples.csv.zst jobs/worker/log runs/a run/profile.yaml"
	if err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v", got, err)
	}
	for _, o := range each(t, c, collectTo(out)) {
		if o.Did != "4 files, all here already" {
			t.Errorf("again: %+v", o)
		}
	}
}

// What was half fetched goes on; what is there and wrong is fetched anew.
func TestCollectGoesOn(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	data := bytes.Repeat([]byte("0123456789"), 1000)
	for _, name := range []string{"half", "wrong", "longer", "damaged"} {
		writeFile(t, filepath.Join(servers[0].Home, "edge/bench/runs", name), data)
	}
	out := t.TempDir()
	writeFile(t, filepath.Join(out, "n0/runs/half.part"), data[:4000])
	writeFile(t, filepath.Join(out, "n0/runs/wrong.part"), bytes.Repeat([]byte("x"), 4000))
	writeFile(t, filepath.Join(out, "n0/runs/longer.part"), append(bytes.Clone(data), 'x'))
	writeFile(t, filepath.Join(out, "n0/runs/damaged"), data[:9999])
	// 6,000 of half; 6,000 and then all of wrong; nothing and then all of longer; all of damaged.
	if o := each(t, c, collectTo(out))[0]; o.Did != "4 files, 4 of them new, 0.0 MB" {
		t.Errorf("%+v", o)
	}
	for _, name := range []string{"half", "wrong", "longer", "damaged"} {
		if got, err := os.ReadFile(filepath.Join(out, "n0/runs", name)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	parts, err := filepath.Glob(filepath.Join(out, "n0/runs/*.part"))
	if err != nil || len(parts) > 0 {
		t.Errorf("left over: %v, %v", parts, err)
	}
}

// What a batch that goes on replaces or removes between its sum and its fetching is
// looked at again.
func TestCollectWhatChanges(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	at := func(name string) string { return filepath.Join(servers[0].Home, "edge/bench/batches/night", name) }
	writeFile(t, at("status.json"), []byte("before\n"))
	writeFile(t, at("status.json.new"), []byte("half"))
	out := t.TempDir()
	listed := 0
	o := each(t, c, func(ctx context.Context, s *Session) (string, error) {
		s.tell = func(text string) {
			if strings.HasPrefix(text, "fetching") {
				if listed++; listed == 1 {
					writeFile(t, at("status.json.new"), []byte("after\n"))
					if err := os.Rename(at("status.json.new"), at("status.json")); err != nil {
						t.Error(err)
					}
				}
			}
		}
		return Collect(ctx, s, out)
	})[0]
	if got, err := os.ReadFile(filepath.Join(out, "n0/batches/night/status.json")); string(got) != "after\n" || err != nil || listed != 2 {
		t.Errorf("%+v: %q, %v, listed %d times", o, got, err, listed)
	}
}

// A file that never rests is told, and what came before is kept.
func TestCollectGivesUp(t *testing.T) {
	t.Parallel()
	c, servers := lab(t, 1)
	busy := filepath.Join(servers[0].Home, "edge/bench/batches/night/status.json")
	writeFile(t, busy, nil)
	writeFile(t, filepath.Join(servers[0].Home, "edge/bench/runs/quiet"), []byte("q"))
	out := t.TempDir()
	o, lines := make(chan error, 1), 0
	outcomes := c.Each(t.Context(), nil, func(ctx context.Context, s *Session) (string, error) {
		s.tell = func(text string) {
			if strings.HasPrefix(text, "fetching") {
				lines++
				writeFile(t, busy, bytes.Repeat([]byte("x"), lines))
			}
		}
		did, err := Collect(ctx, s, out)
		o <- err
		return did, err
	})
	if err := <-o; !errors.Is(err, errChanged) || lines != passes {
		t.Errorf("%v after %d passes: %+v", err, lines, outcomes)
	}
	if got, err := os.ReadFile(filepath.Join(out, "n0/runs/quiet")); string(got) != "q" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNamesThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0", 64)
	for _, line := range []string{sum + "  ../outside", sum + "  /etc/passwd", `\` + sum + `  runs/a\nb`} {
		if got, err := parseSums("hello from .cshrc\n" + line + "\n"); err == nil {
			t.Errorf("%q: %v", line, got)
		}
	}
	if got, err := parseSums("Welcome  home\n" + sum + "  runs/a  b\n"); err != nil || len(got) != 1 || got[0].path != "runs/a  b" {
		t.Errorf("%v, %v", got, err)
	}
}
