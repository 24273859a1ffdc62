package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"edgebench/loadgen/peers/tool"
	"edgebench/loadgen/peers/witness"
)

func TestMain(m *testing.M) {
	witness.Main()
	os.Exit(m.Run())
}

// twoCores are the first two that we may use.
func twoCores(t *testing.T) (server, generator string) {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	var cores []string
	for i := 0; i < 1024 && len(cores) < 2; i++ {
		if set.IsSet(i) {
			cores = append(cores, strconv.Itoa(i))
		}
	}
	if len(cores) < 2 {
		t.Skip("needs two cores")
	}
	return cores[0], cores[1]
}

// The smallest comparison: ours, built as it is, against a witness.
func TestOursAlone(t *testing.T) {
	t.Parallel()
	server, generator := twoCores(t)
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "loadgen"), "edgebench/loadgen")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "raw.json")
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), []string{
		"-quick", "-tools", tool.Ours, "-parts", pacing.name, "-bin", dir, "-json", file, "-server-core", server, "-generator-core", generator,
	}, &stdout, &stderr)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	var r struct{ Records []Record }
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := uint64(quickPlan().pacing.Seconds() * slowRate)
	if len(r.Records) != 1 || r.Records[0].Error != "" || r.Records[0].Figures.Accounted() != want {
		t.Fatalf("want one record of %d requests, got\n%s", want, data)
	}
	if v := r.Records[0].Values; v[keyArrivals] < 1 || v[keyGrid99] > 250e3 {
		t.Errorf("seen by the witness: %v", v)
	}
	if !strings.Contains(stdout.String(), "| gap error p50 at 2,000/s, µs") || !strings.Contains(stderr.String(), "about ") {
		t.Errorf("stdout\n%s\nstderr\n%s", &stdout, &stderr)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "runs*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFaultsOfTheCommandLineComeTogether(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), []string{"-rounds", "-1", "-tools", "ours,ab", "-parts", "speed", "-server-core", "1", "-generator-core", "1", "now"}, &stdout, &stderr)
	if code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{`-rounds -1`, `-tools: there is no "ab"`, `-parts: there is no "speed"`, `argument "now"`, "are both 1"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in\n%s", want, &stderr)
		}
	}
}

// The estimate is told before anything starts, and within what was promised.
func TestEstimates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan plan
		most time.Duration
	}{{fullPlan(), 12 * time.Minute}, {quickPlan(), 3 * time.Minute}} {
		b := bench{options: options{plan: c.plan, tools: tool.All(), parts: parts()}}
		if sum := b.estimate(); sum > c.most || sum < c.most/4 {
			t.Errorf("%d rounds: %v, promised are %v", c.plan.rounds, sum, c.most)
		} else {
			t.Logf("%d rounds: %v", c.plan.rounds, sum)
		}
	}
}
