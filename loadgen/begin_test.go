package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		{"policy the node refuses", tiny, []string{"run", "p.yaml", "--policy", "oracle"}, exitUsage, `unknown policy "oracle"`},
		{"policy that check refuses", strings.Replace(tiny, "{static: {}}", "oracle", 1), []string{"check", "p.yaml"}, exitUsage, `unknown policy "oracle"`},
		{"no workers", tiny, []string{"run", "p.yaml", "--workers", "0"}, exitUsage, "--workers 0"},
		{"list of nothing", "", []string{"list", "nonsense"}, exitUsage, "arrivals, dispatch, figures, metrics, models, policies, prices, profiles"},
		{"set without value", tiny, []string{"run", "p.yaml", "--set", "seed"}, exitUsage, "key=value"},
		{"rate beside a profile", tiny, []string{"run", "p.yaml", "--rate", "1/s"}, exitUsage, "--rate"},
		{"url without scheme", tiny, []string{"run", "p.yaml", "--url", "h:80"}, exitUsage, "no scheme"},
		{"nobody listens for TLS", tiny, []string{"run", "p.yaml", "--url", "https://127.0.0.1:1/"}, exitUnreachable, "connection refused"},
		{"nobody listens", "", []string{"run", "--url", "http://127.0.0.1:1/", "--rate", "5/s", "--duration", "1s"}, exitUnreachable, "connection refused"},
		{"threshold of no metric", tiny, []string{"run", "p.yaml", "--threshold", "speed < 1"}, exitUsage, "unknown metric"},
		{"threshold of no phase", tiny + "thresholds: ['peak.cold.truth < 1']\n", []string{"check", "p.yaml"}, exitUsage, "peak"},
		{"output folder", tiny, []string{"run", "p.yaml", "--out", "p.yaml/x"}, exitUsage, "p.yaml"},
		{"not a run", "", []string{"report", "."}, exitUsage, "not a run directory"},
		{"no trials", tiny, []string{"sim", "p.yaml", "--trials", "0"}, exitUsage, "--trials 0"},
		{"trace without a place for it", "", []string{"qpn", "mbs", "--trace", "5"}, exitUsage, "--figure DIR"},
		{"reversed rates", "", []string{"qpn", "cls", "--lambda", "5:1"}, exitUsage, "reversed"},
		{"no such model", "", []string{"qpn", "nope"}, exitUsage, "known: cls, mbs, spr"},
		{"unknown parameter", "", []string{"qpn", "cls", "--set", "zz=3"}, exitUsage, "unknown parameter"},
		{"no replications", "", []string{"qpn", "cls", "--replications", "0"}, exitUsage, "--replications 0"},
		{"no requests", "", []string{"qpn", "cls", "--requests", "0"}, exitUsage, "--requests 0"},
		{"fewer requests than a warm-up", "", []string{"qpn", "cls", "--requests", "10"}, exitUsage, "--requests 10"},
		{"no confidence", "", []string{"qpn", "cls", "--level", "0"}, exitUsage, "--level 0"},
		{"the study in two outputs", "", []string{"qpn", "--study", "--json", "--csv"}, exitUsage, "choose one"},
		{"a net that stops", stuck, []string{"qpn", "p.yaml", "--requests", "500"}, exitUsage, "marking: b 2"},
		{"a net without time", spinning, []string{"qpn", "p.yaml", "--requests", "500"}, exitUsage, "without end"},
		{"measured is nowhere", "", []string{"predict", "--measured", "nowhere"}, exitUsage, "nowhere: not a run directory"},
		{"picture of no kind", "", []string{"qpn", "cls", "--draw", "net.bmp"}, exitUsage, ".svg or .dot"},
		{"prediction of nothing", "", []string{"predict"}, exitUsage, "--measured RUN"},
		{"prediction for a url", tiny, []string{"predict", "p.yaml", "--set", "target.url=http://h"}, exitUsage, "twin"},
		{"prediction with two outputs", tiny, []string{"predict", "p.yaml", "--json", "--csv", "--trials", "0"}, exitUsage, "choose one"},
		{"measured is no run", tiny, []string{"predict", "p.yaml", "--measured", "."}, exitUsage, "not a run directory"},
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

// Nets that cannot go on: both tokens wait for a lock nobody has; two immediate
// transitions that feed each other.
const (
	stuck = `name: stuck
params: {lambda: {default: 5}}
places: [{name: a, tokens: 2}, {name: b}, {name: lock}]
transitions:
  - {name: arrive, timed: {exponential: 1/lambda}, in: [a], out: [b]}
  - {name: go, in: [b, lock], out: [a]}
`
	spinning = `name: spinning
params: {lambda: {default: 5}}
places: [{name: a}, {name: b}]
transitions:
  - {name: arrive, timed: {exponential: 1/lambda}, out: [a]}
  - {name: there, in: [a], out: [b]}
  - {name: back, in: [b], out: [a]}
`
)

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
