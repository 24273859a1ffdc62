package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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

// The same with workers of another language, and a second event loop.
func TestRunPythonWorkers(t *testing.T) {
	t.Parallel()
	c := loadgen(t, tiny, "run", "p.yaml", "--json", "--set", "target.bundled.worker=python",
		"--set", "target.bundled.reactors=2")
	code := c.code(t, c.Run())
	if code == exitUsage && strings.Contains(c.stderr.String(), "a program is not installed") {
		t.Skip(c.stderr.String())
	}
	c.wantCode(t, code, exitOK, exitInvalid)
	s := c.summary(t)
	reconcile(t, s)
	if s.Counts.OK != 115 || s.Paths.Marked() != 115 || s.Run.Worker != "python" {
		t.Errorf("%+v, marked %d, worker %q: want 115 ok by python", s.Counts, s.Paths.Marked(), s.Run.Worker)
	}
	if s.Resources.PSSMeanBytes == nil {
		t.Errorf("resources not sampled: %+v", s.Resources)
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
	dirs, _ := filepath.Glob(filepath.Join(c.Dir, "sims", "*-sim", "*-twin-*"))
	if len(dirs) != 4 {
		t.Fatalf("run directories %v, want 4", dirs)
	}
	report := loadgen(t, "", append([]string{"report", "--figures", "pictures"}, dirs...)...)
	report.wantCode(t, report.code(t, report.Run()), exitOK)
	if _, err := os.Stat(filepath.Join(report.Dir, "pictures", "cold-cycles.svg")); err != nil {
		t.Errorf("%v\nstderr: %s", err, report.stderr.String())
	}
	page := filepath.Join(filepath.Dir(dirs[0]), "report.html")
	if !strings.Contains(report.stdout.String(), "report  "+page) {
		t.Errorf("stdout does not tell %s:\n%s", page, report.stdout.String())
	}
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "4 trials, all valid") || strings.Count(string(html), "<svg") < 4 {
		t.Errorf("the page of all runs: %v, %d bytes", err, len(html))
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
	both := loadgen(t, "", "qpn", "spr:5-mu3", "cls:5x3", "--lambda", "5,10", "--requests", "5000", "--trace", "20", "--figure", "pictures", "--csv", "--quiet")
	both.wantCode(t, both.code(t, both.Run()), exitOK)
	if n := strings.Count(both.stdout.String(), "\n"); n != 5 {
		t.Errorf("%d lines, want one header and four points:\n%s", n, both.stdout.String())
	}
	if pictures, _ := filepath.Glob(filepath.Join(both.Dir, "pictures", "*.svg")); len(pictures) != 5 {
		t.Errorf("pictures %v, want one of both models and four traces", pictures)
	}
	// What was set by hand is told wherever the numbers are.
	for flag, want := range map[string]string{"": "mbs scaling=off routing=random", "--csv": "scaling=off routing=random", "--json": `"routing=random"`} {
		args := []string{"qpn", "mbs:static", "--set", "routing=random", "--lambda", "3", "--requests", "2000", "--quiet"}
		if flag != "" {
			args = append(args, flag)
		}
		set := loadgen(t, "", args...)
		set.wantCode(t, set.code(t, set.Run()), exitOK)
		if !strings.Contains(set.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, set.stdout.String())
		}
	}
	table := loadgen(t, "", "qpn", "--study", "--csv")
	table.wantCode(t, table.code(t, table.Run()), exitOK)
	if records, err := csv.NewReader(&table.stdout).ReadAll(); err != nil || len(records) < 20 {
		t.Errorf("the study as CSV: %v, %d records", err, len(records))
	}
	study := loadgen(t, "", "qpn", "--study")
	study.wantCode(t, study.code(t, study.Run()), exitOK)
	if !strings.Contains(study.stdout.String(), "not reproduced") {
		t.Errorf("stdout: %s", study.stdout.String())
	}
}
