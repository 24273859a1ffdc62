package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"edgebench/loadgen/batch"
)

// A served batch is a coordinator in a process of its own, and what joins it.
type served struct {
	*command
	dir, url string
}

// serve starts the coordinator of a batch in dir/n.
func serve(t *testing.T, dir string, args ...string) *served {
	t.Helper()
	s := &served{dir: dir, command: inFolder(t, dir, append([]string{"coordinator", "night.yaml", "--out", "n", "--token-file", "token"}, args...)...)}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`--join (\S+)`)
	eventually(t, "the coordinator listens", func() bool {
		if found := address.FindStringSubmatch(s.stderr.String()); found != nil {
			s.url = found[1]
		}
		return s.url != "" || s.ended()
	})
	if s.url == "" {
		t.Fatalf("no address in: %s", s.stderr.String())
	}
	return s
}

// ended reports whether the process is a zombie or gone, without waiting for it.
func (c *command) ended() bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// join starts a worker with a node and a folder of its own.
func (s *served) join(t *testing.T, name string, args ...string) *command {
	t.Helper()
	args = append([]string{"worker", "--join", s.url, "--token-file", "token", "--name", name, "--node", name, "--dir", filepath.Join(t.TempDir(), name)}, args...)
	w := inFolder(t, s.dir, args...)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// committed reads every result of a batch folder, all of which must be whole.
func committed(t *testing.T, dir string) []batch.Result {
	t.Helper()
	results := batch.NewFolder(filepath.Join(dir, "n")).Results()
	ids, err := results.List()
	if err != nil {
		t.Fatal(err)
	}
	var all []batch.Result
	for _, id := range ids {
		r, err := results.Read(id)
		if err != nil {
			t.Error(err)
		}
		all = append(all, r)
	}
	return all
}

func TestTwoWorkersMakeABatch(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 3)
	c := serve(t, dir, "--listen", "127.0.0.1:0")
	a, b := c.join(t, "a"), c.join(t, "b")
	for _, w := range []*command{a, b} {
		w.wantCode(t, w.code(t, w.Wait()), exitOK)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitOK)
	var by []string
	for _, r := range committed(t, dir) {
		by = append(by, r.Worker)
		if r.Object != r.Trial.ID+"/a1" {
			t.Errorf("object %s of trial %s", r.Object, r.Trial.ID)
		}
	}
	slices.Sort(by)
	if len(by) != 6 || by[0] != "a" || by[5] != "b" {
		t.Errorf("trials made by %v, want six by both", by)
	}
}

func TestAStrangerDoesNotJoin(t *testing.T) {
	t.Parallel()
	dir := batchFolder(t, 1)
	if err := os.WriteFile(filepath.Join(dir, "wrong"), []byte("guess\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := serve(t, dir, "--listen", "127.0.0.1:0")
	w := inFolder(t, dir, "worker", "--join", c.url, "--token-file", "wrong", "--name", "stranger-"+filepath.Base(filepath.Dir(dir)))
	w.wantCode(t, w.code(t, w.Run()), exitUsage)
	if text := w.stderr.String(); !strings.Contains(text, "token") {
		t.Errorf("stderr: %s", text)
	}
	for _, args := range [][]string{
		{"coordinator", "night.yaml", "--listen", "0.0.0.0:0", "--out", "o"},
		{"coordinator", "night.yaml", "--tls-cert", "c.pem", "--out", "o"},
		{"coordinator", "night.yaml", "--listen", "nowhere", "--out", "o"},
		{"worker"},
		{"worker", "--join", c.url, "--name", "a b"},
		{"coordinator", "night.yaml", "--out", "o", "--listen", strings.TrimPrefix(c.url, "nats://")},
	} {
		refused := inFolder(t, dir, args...)
		refused.wantCode(t, refused.code(t, refused.Run()), exitUsage)
		if !strings.Contains(refused.stderr.String(), "--") {
			t.Errorf("%v: no flag named in: %s", args, refused.stderr.String())
		}
	}
	// Nobody joined: the first signal ends it.
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitIncomplete)
}
