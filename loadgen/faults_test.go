package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"edgebench/analysis"
	"edgebench/analysis/rundir"
)

// endless is one that a test has to end.
const endless = `name: endless
target: {bundled: {policy: {static: {}}, workers: 2, service: 5ms, heap: 1MB, max_workers: 8}}
phases: [{name: load, rate: 50/s, for: 10m}]
`

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

// Ctrl-C at "loadgen run 2>&1 | tee log" ends tee too: what was measured is kept.
func TestNobodyReadsTheOutputAnyMore(t *testing.T) {
	t.Parallel()
	c := loadgen(t, endless, "run", "p.yaml")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = writer, writer
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.started(t)
	reader.Close()
	writer.Close()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
	left, _ := filepath.Glob(filepath.Join(c.Dir, "runs", ".partial-*"))
	kept, _ := filepath.Glob(filepath.Join(c.Dir, "runs", "*", rundir.SummaryFile))
	if len(left) > 0 || len(kept) != 1 {
		t.Errorf("drafts left %v, runs kept %v", left, kept)
	}
	if children := childrenOf(c.Process.Pid); len(children) > 0 {
		t.Errorf("processes left: %v", children)
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

// An interrupted sweep ends at once, and says which points it lacks.
func TestInterruptedSweep(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "qpn", "spr", "cls", "--lambda", "0.5:14.5:0.25", "--replications", "500")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the estimate", func() bool { return strings.Contains(c.stderr.String(), "Ctrl-C keeps the points") })
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.wantCode(t, c.code(t, c.Wait()), exitPartial)
	text := c.stderr.String()
	if !strings.Contains(text, "of 57 points, cls none") || strings.Contains(text, "requests, waiting") {
		t.Errorf("stderr: %s", text)
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
