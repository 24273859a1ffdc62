package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitFlow(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"":                               {""},
		"ewma":                           {"ewma"},
		"ewma, {ewma: {k: 1, h: 2}},kpa": {"ewma", "{ewma: {k: 1, h: 2}}", "kpa"},
		"5s,35s":                         {"5s", "35s"},
		"a,":                             {"a", ""},
	} {
		if diff := cmp.Diff(want, splitFlow(list)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", list, diff)
		}
	}
}

// Two policies, two values: four points, in order, each with its trials, its
// folder and, where the study has one, its figure.
func TestSimSetsPointsSideBySide(t *testing.T) {
	t.Parallel()
	args := []string{"sim", "warmup-sweep", "--policy", "ewma,{ewma-adaptive: {reset: 0}}", "--vary", "phases.warmup.for=5s,35s",
		"--trials", "2", "--quiet"}
	c := loadgen(t, "", append(args, "--json")...)
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	var got pointsJSON
	if err := json.Unmarshal(c.stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, p := range got.Points {
		study := "–"
		if p.Published != nil {
			study = p.Published.Trial
		}
		seen = append(seen, p.Policy+" "+p.Value+" "+study)
		if p.Trials != 2 || p.metric("spike cold").N != 2 {
			t.Errorf("%s: %d trials, %+v", p.Policy, p.Trials, p.metric("spike cold"))
		}
		if runs, err := os.ReadDir(filepath.Join(c.Dir, p.Out)); err != nil || len(runs) != 2 {
			t.Errorf("%s: %d run directories, %v", p.Out, len(runs), err)
		}
	}
	want := []string{"ewma 5s 48", "ewma 35s 0", "{ewma-adaptive: {reset: 0}} 5s –", "{ewma-adaptive: {reset: 0}} 35s –"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	c = loadgen(t, "", args...)
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	for _, want := range []string{"policy  phases.warmup.for", "ewma                 5s", "{ewma-adaptive: {reset: 0}}                35s", "study: trial", "None is a target"} {
		if !strings.Contains(c.stdout.String(), want) {
			t.Errorf("%q is not in:\n%s", want, c.stdout.String())
		}
	}
}

// Work that competes for processors is simulated as sleep, which is said once.
func TestSimWarnsOfOtherWork(t *testing.T) {
	t.Parallel()
	c := loadgen(t, "", "sim", "bursty-ramp-quick", "--policy", "ewma,kpa", "--quiet", "--set", "target.bundled.work=cpu")
	c.wantCode(t, c.code(t, c.Run()), exitOK)
	if n := strings.Count(c.stderr.String(), "work cpu is simulated as sleep"); n != 1 {
		t.Errorf("said %d times: %s", n, c.stderr.String())
	}
}

func TestSimRefuses(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct{ flag, value, want string }{
		{"--vary", "phases.warmup.for", "want KEY=VALUE,VALUE"},
		{"--vary", "=5s", "want KEY=VALUE,VALUE"},
		{"--vary", "phases.warmup.for=5s,5", "missing unit"},
		{"--policy", "ewma,oracle", `unknown policy "oracle"`},
		{"--policy", "ewma,", "target.bundled.policy: empty"},
		{"--overhead", "-1ms", "--overhead -1ms: want 0 or more"},
	} {
		c := loadgen(t, "", "sim", "warmup-sweep", bad.flag, bad.value)
		c.wantCode(t, c.code(t, c.Run()), exitUsage)
		if !strings.Contains(c.stderr.String(), bad.want) {
			t.Errorf("%s %s: %s; want %q", bad.flag, bad.value, c.stderr.String(), bad.want)
		}
	}
}

func TestAllSimulatesEveryPolicyOnce(t *testing.T) {
	t.Parallel()
	points, err := simPoints("bursty-ramp", nil, "all", "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range points {
		names = append(names, p.profile.Target.Bundled.Policy.Name)
	}
	if !slices.Equal(names, simulated()) || slices.Contains(names, "arima-statsmodels") || !slices.Contains(names, "mbs") {
		t.Errorf("policies %v", names)
	}
}
