package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"edgebench/analysis"
)

// bin holds both programs, built once for all tests: the real ones, run as users run them.
var bin string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "loadgen-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+"/", "edgebench/loadgen", "edgebench/target")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	bin = dir
	return m.Run()
}

// tiny is a profile of the bundled node that takes a second or so; its heap is
// small, so that tests may run side by side.
const tiny = `name: tiny
target: {bundled: {policy: {static: {}}, workers: 2, service: 5ms, tick: 200ms, heap: 1MB, max_workers: 8}}
request: {method: POST, path: /invoke, timeout: 5s}
phases:
  - {name: warmup, rate: 20/s, for: 500ms}
  - {name: spike, rate: 100/s, for: 500ms, measure: cold}
cycles: {count: 2, override: {1: {warmup: {for: 250ms}}}}
cold: {threshold: 50ms}
drain_timeout: 5s
`

// endless is one that a test has to end.
const endless = `name: endless
target: {bundled: {policy: {static: {}}, workers: 2, service: 5ms, heap: 1MB, max_workers: 8}}
phases: [{name: load, rate: 50/s, for: 10m}]
`

type command struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr sharedBuffer
}

// A sharedBuffer can be read while a process still writes to it.
type sharedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sharedBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *sharedBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// loadgen prepares the program in a folder of its own with the given profile in
// it; the run directories go to out.
func loadgen(t *testing.T, profile string, args ...string) *command {
	t.Helper()
	dir := t.TempDir()
	if profile != "" {
		if err := os.WriteFile(filepath.Join(dir, "p.yaml"), []byte(profile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	c := &command{Cmd: exec.CommandContext(ctx, filepath.Join(bin, "loadgen"), args...)}
	c.Dir = dir
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// code waits for the end and returns the exit code, -1 for a signal.
func (c *command) code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

func (c *command) summary(t *testing.T) *analysis.Summary {
	t.Helper()
	s := new(analysis.Summary)
	if err := json.Unmarshal(c.stdout.Bytes(), s); err != nil {
		t.Fatalf("%v\nstdout: %s\nstderr: %s", err, c.stdout.String(), c.stderr.String())
	}
	return s
}

// wantCode fails the test unless the code is one of those.
func (c *command) wantCode(t *testing.T, got int, want ...int) {
	t.Helper()
	for _, w := range want {
		if got == w {
			return
		}
	}
	t.Fatalf("exit %d, want one of %v\nstdout: %s\nstderr: %s", got, want, c.stdout.String(), c.stderr.String())
}

// reconcile checks what every run promises.
func reconcile(t *testing.T, s *analysis.Summary) {
	t.Helper()
	c := s.Counts
	if c.Scheduled != c.Sent+c.Dropped || c.Sent != c.OK+c.Errors+c.OpenAtEnd {
		t.Errorf("counts do not reconcile: %+v", c)
	}
}

func TestRunTheBundledNode(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--json")
	// A crowded machine may make the generator late, which it has to say.
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	if s.Counts.Scheduled != 115 || s.Counts.OK != 115 || s.Paths.Marked() != 115 {
		t.Errorf("%+v, marked %d: want 115 scheduled, ok and marked", s.Counts, s.Paths.Marked())
	}
	if len(s.Phases) != 4 || len(s.Measured) != 1 || len(s.Measured[0].Cycles) != 2 {
		t.Errorf("%d phases, %d measured", len(s.Phases), len(s.Measured))
	}
	if s.Resources.PSSMeanBytes == nil || s.Resources.WorkersMax == nil || *s.Resources.WorkersMax < 2 {
		t.Errorf("resources not sampled: %+v", s.Resources)
	}
	if s.Policy.Name != "static" || s.Policy.DecideP50NS == nil {
		t.Errorf("policy %+v", s.Policy)
	}
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*-tiny-static-*"))
	if len(dirs) != 1 {
		t.Fatalf("run directories %v, want one", dirs)
	}
	for _, name := range []string{
		"manifest.json", "profile.yaml", "samples.csv.zst", "latency.hlog", "latency.hgrm", "totals.json",
		"timeseries.csv", "monitor.csv", "events.jsonl", "summary.json", "report.html",
	} {
		if info, err := os.Stat(filepath.Join(dirs[0], name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	again := loadgen(t, "", "report", dirs[0], "--json")
	again.wantCode(t, again.code(t, again.Run()), exitOK)
	if !bytes.Equal(again.stdout.Bytes(), c.stdout.Bytes()) {
		t.Error("report makes another summary than run did")
	}
}

func TestOutputToAFileHasNoEscapeCodes(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--policy", "reactive", "--seed", "7")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	for name, text := range map[string]string{"stdout": c.stdout.String(), "stderr": c.stderr.String()} {
		if strings.ContainsAny(text, "\x1b\r") {
			t.Errorf("%s has escape codes or carriage returns:\n%q", name, text)
		}
	}
	for _, want := range []string{"policy reactive", "seed 7", "cycle", "spike", "scheduled =", "report.html", "verdict"} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, c.stdout.String())
		}
	}
}

func TestWhatCannotBegin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, profile string
		args          []string
		code          int
		want          string
	}{
		{"unknown command", "", []string{"rum"}, exitUsage, "did you mean run"},
		{"unknown flag", "", []string{"run", "constant", "--bogus"}, exitUsage, "--bogus"},
		{"no profile", "", []string{"run"}, exitUsage, "--url with --rate and --duration"},
		{"missing file", "", []string{"run", "nosuch.yaml"}, exitUsage, "bursty-ramp-quick"},
		{"unknown key", strings.Replace(tiny, "name: warmup", "nome: warmup", 1), []string{"run", "p.yaml"}, exitUsage, "p.yaml:5:6: phases[0]"},
		{"missing unit", strings.Replace(tiny, "20/s", "20", 1), []string{"check", "p.yaml"}, exitUsage, "missing unit"},
		{"every fault at once", "name: a\nseed: x\nfoo: 1\n", []string{"check", "p.yaml"}, exitUsage, "p.yaml:3:1"},
		{"empty file", " ", []string{"run", "p.yaml"}, exitUsage, "empty"},
		{"second document", tiny + "---\nname: y\n", []string{"run", "p.yaml"}, exitUsage, "second document"},
		{"scv out of range", strings.Replace(tiny, "phases:", "arrivals: {h2: {p: 0.2, scv: 90}}\nphases:", 1), []string{"check", "p.yaml"}, exitUsage, "scv"},
		{"policy the node refuses", tiny, []string{"run", "p.yaml", "--policy", "oracle"}, exitUsage, `policy "oracle": unknown`},
		{"policy that check refuses", strings.Replace(tiny, "{static: {}}", "oracle", 1), []string{"check", "p.yaml"}, exitUsage, `policy "oracle": unknown`},
		{"no workers", tiny, []string{"run", "p.yaml", "--workers", "0"}, exitUsage, "--workers 0"},
		{"list of nothing", "", []string{"list", "nonsense"}, exitUsage, "dispatch, models, policies, profiles"},
		{"set without value", tiny, []string{"run", "p.yaml", "--set", "seed"}, exitUsage, "key=value"},
		{"rate beside a profile", tiny, []string{"run", "p.yaml", "--rate", "1/s"}, exitUsage, "--rate"},
		{"url without scheme", tiny, []string{"run", "p.yaml", "--url", "h:80"}, exitUsage, "no scheme"},
		{"https", tiny, []string{"run", "p.yaml", "--url", "https://h"}, exitUsage, "https"},
		{"nobody listens", "", []string{"run", "--url", "http://127.0.0.1:1/", "--rate", "5/s", "--duration", "1s"}, exitUnreachable, "connection refused"},
		{"threshold of no metric", tiny, []string{"run", "p.yaml", "--threshold", "speed < 1"}, exitUsage, "unknown metric"},
		{"threshold of no phase", tiny + "thresholds: ['peak.cold.truth < 1']\n", []string{"check", "p.yaml"}, exitUsage, "peak"},
		{"output folder", tiny, []string{"run", "p.yaml", "--out", "p.yaml/x"}, exitUsage, "p.yaml"},
		{"not a run", "", []string{"report", "."}, exitUsage, "not a run directory"},
		{"no trials", tiny, []string{"sim", "p.yaml", "--trials", "0"}, exitUsage, "--trials 0"},
		{"reversed rates", "", []string{"qpn", "cls", "--lambda", "5:1"}, exitUsage, "reversed"},
		{"no such model", "", []string{"qpn", "nope"}, exitUsage, "cls.yaml"},
		{"unknown parameter", "", []string{"qpn", "cls", "--set", "zz=3"}, exitUsage, "unknown parameter"},
		{"no replications", "", []string{"qpn", "cls", "--replications", "0"}, exitUsage, "--replications 0"},
		{"picture of no kind", "", []string{"qpn", "cls", "--draw", "net.bmp"}, exitUsage, ".svg or .dot"},
		{"twin of a url", tiny, []string{"sim", "p.yaml", "--set", "target.url=http://h"}, exitUsage, "twin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := loadgen(t, c.profile, c.args...)
			cmd.wantCode(t, cmd.code(t, cmd.Run()), c.code)
			if !strings.Contains(cmd.stderr.String(), c.want) {
				t.Errorf("%q is not in:\n%s", c.want, cmd.stderr.String())
			}
			if cmd.stdout.Len() > 0 {
				t.Errorf("results on stdout: %s", cmd.stdout.String())
			}
			if left, _ := os.ReadDir(filepath.Join(cmd.Dir, "runs")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestWithoutTargetTheErrorSaysHowToBuildIt(t *testing.T) {
	t.Parallel()
	alone := t.TempDir()
	if err := os.Link(filepath.Join(bin, "loadgen"), filepath.Join(alone, "loadgen")); err != nil {
		t.Skipf("hard link: %v", err)
	}
	c := loadgen(t, tiny, "run", "p.yaml")
	c.Path = filepath.Join(alone, "loadgen")
	c.Env = append(os.Environ(), "PATH="+alone)
	c.wantCode(t, c.code(t, c.Run()), exitUsage)
	if !strings.Contains(c.stderr.String(), "make build") {
		t.Errorf("stderr: %s", c.stderr.String())
	}
}

// The one-liner against a node that runs alone.
func TestOneLinerAgainstARunningNode(t *testing.T) {
	t.Parallel()
	node := exec.Command(filepath.Join(bin, "target"), "--listen", "127.0.0.1:0", "--policy", "static", "--workers", "1", "--heap", "1MB", "--service", "1ms", "--attached")
	stdin, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stdin.Close(); _ = node.Wait() }()
	var ready struct {
		Addr string `json:"addr"`
	}
	if err := json.NewDecoder(stdout).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	c := loadgen(t, "", "run", "--url", "http://user:hunter2@"+ready.Addr+"/ping", "--rate", "200/s", "--duration", "1s", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	if s.Counts.OK != 200 || s.Run.Mode != "url" {
		t.Errorf("ok %d, mode %q", s.Counts.OK, s.Run.Mode)
	}
	assertNowhere(t, filepath.Join(c.Dir, "runs"), "hunter2")
}

// assertNowhere fails for each file below dir that holds the secret.
func assertNowhere(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s tells the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFailedThresholdHasItsOwnExitCode(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--json", "--threshold", "response.p50 < 1ns", "--threshold", "error_rate <= 0%")
	c.wantCode(t, c.code(t, c.Run()), exitThresholdsFailed, exitInvalid)
	s := c.summary(t)
	if len(s.Thresholds) != 2 || s.Thresholds[0].Met || !s.Thresholds[1].Met {
		t.Errorf("%+v: want the first to fail and the second to be met", s.Thresholds)
	}
}

func TestSimulatedTrials(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "sim", "bursty-ramp", "--trials", "4", "--out", "sims", "--json", "--policy", "static", "--workers", "15")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var r simReport
	if err := json.Unmarshal(c.stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Trials != 4 || r.Policy != "static" || len(r.Metrics) == 0 || r.Metrics[0].Name != "spike cold" || r.Metrics[0].Max != 0 {
		t.Errorf("%+v: want no cold start in the spikes of 15 pinned workers", r)
	}
	if dirs, _ := filepath.Glob(filepath.Join(c.Dir, "sims", "*-sim", "*-twin-*")); len(dirs) != 4 {
		t.Errorf("run directories %v, want 4", dirs)
	}
}

// The simulated response time of CLS 5×3 must have the exact one in its interval,
// and a critical load must not have one.
func TestQueueingModel(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "qpn", "cls:5x3", "--lambda", "10,15", "--requests", "50000", "--level", "0.999", "--json")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var rows []pointRow
	if err := json.Unmarshal(c.stdout.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[1].R != nil || rows[1].Verdict != "critical" {
		t.Fatalf("%+v: want two points, no mean at critical load", rows)
	}
	if r := rows[0]; r.R == nil || r.ExactR == nil || math.Abs(*r.R-*r.ExactR) > *r.RHalf {
		t.Errorf("%+v: the exact response time is outside the interval", r)
	}
	study := loadgen(t, "", "qpn", "--study")
	study.wantCode(t, study.code(t, study.Run()), exitOK)
	if !strings.Contains(study.stdout.String(), "not reproduced") {
		t.Errorf("stdout: %s", study.stdout.String())
	}
}

// eventually polls for something that other processes bring about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// started waits until the run has written its first seconds.
func (c *command) started(t *testing.T) {
	t.Helper()
	eventually(t, "a second in timeseries.csv", func() bool {
		files, _ := filepath.Glob(filepath.Join(c.Dir, "runs", ".partial-*", "timeseries.csv"))
		if len(files) == 0 {
			return false
		}
		data, _ := os.ReadFile(files[0])
		return bytes.Count(data, []byte("\n")) >= 2
	})
}

func TestSignalsKeepPartialResults(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			c := loadgen(t, endless, "run", "p.yaml", "--json")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			c.started(t)
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			c.wantCode(t, c.code(t, c.Wait()), exitPartial)
			s := c.summary(t)
			reconcile(t, s)
			if s.Verdict != analysis.Partial || s.Counts.OK == 0 || s.Counts.Planned != 30_000 {
				t.Errorf("verdict %s, %+v", s.Verdict, s.Counts)
			}
			if children := childrenOf(c.Process.Pid); len(children) > 0 {
				t.Errorf("processes left: %v", children)
			}
		})
	}
}

// A second signal gives up a request that would not come back for a minute.
func TestSecondSignalGivesUpOpenRequests(t *testing.T) {
	t.Parallel()
	slow := strings.Replace(endless, "service: 5ms", "service: 60s", 1) + "request: {timeout: 5m}\ndrain_timeout: 5m\n"
	c := loadgen(t, slow, "run", "p.yaml", "--json")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.started(t)
	for _, notice := range []string{"again: give them up", "giving up open requests"} {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		eventually(t, notice, func() bool { return strings.Contains(c.stderr.String(), notice) })
	}
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
	s := c.summary(t)
	reconcile(t, s)
	if s.Counts.OpenAtEnd == 0 {
		t.Errorf("%+v: want requests open at end", s.Counts)
	}
}

func TestTargetKilledMidRun(t *testing.T) {
	t.Parallel()
	brief := strings.Replace(endless, "10m", "4s", 1)
	c := loadgen(t, brief, "run", "p.yaml", "--json")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.started(t)
	children := childrenOf(c.Process.Pid)
	if len(children) != 1 {
		t.Fatalf("children of loadgen: %v, want the node alone", children)
	}
	if err := syscall.Kill(children[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
	s := c.summary(t)
	reconcile(t, s)
	if s.Counts.Scheduled != 200 || s.ErrorsByClass["refused"] == 0 || s.Counts.OK == 0 {
		t.Errorf("%+v, errors %v: want the run to go on and its errors to be classed", s.Counts, s.ErrorsByClass)
	}
}

func TestKilledLoadgenTakesItsNodeWithIt(t *testing.T) {
	t.Parallel()
	c := loadgen(t, endless, "run", "p.yaml")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.started(t)
	children := childrenOf(c.Process.Pid)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	for _, pid := range children {
		eventually(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !runs(pid) })
	}
	if sealed, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "2*")); len(sealed) > 0 {
		t.Errorf("a run directory claims to be complete: %v", sealed)
	}
}

// childrenOf reads the children of every thread of a process.
func childrenOf(pid int) (children []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		for _, field := range strings.Fields(string(data)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// runs reports whether a process lives and is no zombie.
func runs(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	// Sampling a hundred times a second fills the disk in a moment.
	c := loadgen(t, endless+"monitor: {interval: 10ms}\n", "run", "p.yaml")
	small := filepath.Join(c.Dir, "runs")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount a small tmpfs: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	c.wantCode(t, c.code(t, c.Run()), exitInternal)
	if !strings.Contains(c.stderr.String(), "no space left") {
		t.Errorf("stderr: %s", c.stderr.String())
	}
	if sealed, _ := filepath.Glob(filepath.Join(small, "2*")); len(sealed) > 0 {
		t.Errorf("a run directory claims to be complete: %v", sealed)
	}
}
