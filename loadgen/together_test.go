package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// A caller starts a process that reads its start from standard input, and waits
// for its ready line.
func begin(t *testing.T, args ...string) (cmd *command, ready readyLine, say func(string), end func()) {
	t.Helper()
	cmd = loadgen(t, tiny, append(args, "--start-at", "-")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, cmd.stderr.String())
	}
	if err := json.Unmarshal([]byte(line), &ready); err != nil || !ready.Ready {
		t.Fatalf("%q: %v", line, err)
	}
	return cmd, ready, func(text string) {
			if _, err := io.WriteString(in, text+"\n"); err != nil {
				t.Error(err)
			}
		}, func() {
			_, _ = io.Copy(&cmd.stdout, lines) // until it closes its output
			_ = in.Close()
		}
}

// Two generators and a node in three processes make one run: every request once,
// counted by the node too, and the lateness of each told.
func TestTogether(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	keeper, node, sayNode, _ := begin(t, "node", "p.yaml", "--out", out, "--quiet")
	var say []func(string)
	var generators []*command
	var finish []func()
	for i := 1; i <= 2; i++ {
		g, ready, tell, end := begin(t, "run", "p.yaml", "--share", fmt.Sprintf("%d/2", i), "--node", node.Addr, "--out", out, "--quiet", "--json")
		if ready.Share != fmt.Sprintf("%d/2", i) {
			t.Errorf("ready %+v", ready)
		}
		generators, say, finish = append(generators, g), append(say, tell), append(finish, end)
	}
	at := time.Now().Add(100 * time.Millisecond)
	line := fmt.Sprintf(`{"start_unix_ns": %d, "host": "here", "clock_offset_ns": 0, "clock_uncertainty_ns": 1000, "reference": "here"}`, at.UnixNano())
	sayNode(line)
	for _, tell := range say {
		tell(line)
	}
	for i, g := range generators {
		finish[i]()
		if err := g.Wait(); err != nil && g.ProcessState.ExitCode() != exitInvalid {
			t.Fatalf("%v: %s", err, g.stderr.String())
		}
	}
	if err := keeper.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := keeper.Wait(); err != nil {
		t.Fatalf("%v: %s", err, keeper.stderr.String())
	}
	dirs, _, err := rundir.List(out)
	if err != nil || len(dirs) != 3 {
		t.Fatalf("%q, %v", dirs, err)
	}
	merged := filepath.Join(out, "merged")
	m := loadgen(t, tiny, append([]string{"merge", "--out", merged}, dirs...)...)
	m.wantCode(t, m.code(t, m.Run()), exitOK)
	unions, _, err := rundir.List(merged)
	if err != nil || len(unions) != 1 {
		t.Fatalf("%q, %v", unions, err)
	}
	checkTogether(t, unions[0], at)
}

func checkTogether(t *testing.T, dir string, at time.Time) {
	t.Helper()
	s, err := analysis.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	const planned = 5 + 50 + 10 + 50
	if c := s.Counts; c.Planned != planned || c.Scheduled != planned || c.OK != planned {
		t.Errorf("%+v, planned are %d", c, planned)
	}
	manifest, err := rundir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var stats struct {
		Requests struct {
			Arrivals int `json:"arrivals"`
		} `json:"requests"`
	}
	if err := json.Unmarshal(manifest.Node, &stats); err != nil || stats.Requests.Arrivals != planned {
		t.Errorf("the node counts %s, %v", manifest.Node, err)
	}
	seen := map[uint64]bool{}
	if _, err := rundir.ReadSamples(dir, func(row *rundir.Sample) error {
		seen[row.Index] = true
		return nil
	}); err != nil || len(seen) != planned {
		t.Errorf("%d different requests have rows, %v", len(seen), err)
	}
	for _, p := range manifest.Parts {
		if p.Start == nil || p.Start.Host != "here" || p.Start.LateNS < 0 || p.Role == rundir.RoleGenerator && p.Sent != planned/2 && p.Sent != planned/2+1 {
			t.Errorf("%+v, %+v", p, p.Start)
		}
	}
	if d := manifest.StartedUnixNS - at.UnixNano(); max(d, -d) > 1000 {
		t.Errorf("the run began %v after the start agreed on", time.Duration(d))
	}
	if s.Resources.PSSMeanBytes == nil || !strings.Contains(textOf(io.Discard, dir, s), "start   at most ") {
		t.Errorf("PSS %v; %s", s.Resources.PSSMeanBytes, textOf(io.Discard, dir, s))
	}
}
