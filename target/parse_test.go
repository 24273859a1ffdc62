package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"edgebench/target/policy"
	"edgebench/target/pool"
)

func TestParse(t *testing.T) {
	t.Parallel()
	s, faults := parse(strings.Fields(`--listen :0 --policy=static --param k=1.5 --param h=2 --workers 7 --heap 64MiB
		--dirty=1KB --service 1m30s --service-law exponential --miss spawn --tick-phase -1ns --start-delay 100ms --seed 9 --work cpu --attached`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := s.cfg
	if c.Listen != ":0" || c.Policy != "static" || c.Params["k"] != 1.5 || c.Params["h"] != 2 || c.Workers != 7 ||
		c.Heap != 64<<20 || c.Dirty != 1000 || c.Pool.ServiceTime != 90*time.Second || c.ServiceLaw != "exponential" ||
		c.Pool.Miss != pool.MissSpawn || c.Pool.TickPhase != 0 || c.Pool.StartDelay != 100*time.Millisecond ||
		c.Seed != 9 || c.Work != "cpu" || !s.attached {
		t.Errorf("%+v", s)
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	code := run([]string{"--lisen", "x", "serve", "--workers", "many", "--tick=2", "--attached=yes", "--work", "juggle", "--heap", "0.3B",
		"--param", "k", "--miss", "drop", "--policy", "oracle", "--seed"}, nil, io.Discard, &stderr)
	if code != exitUsage {
		t.Errorf("exit %d, want %d", code, exitUsage)
	}
	for _, want := range []string{
		`flag "--lisen": unknown`, `argument "serve"`, `flag --workers "many": not a whole number`,
		`flag --tick "2": not a duration with its unit`, `flag --attached: takes no value, not "yes"`, `work "juggle": unknown (have cpu, image, sleep)`,
		`flag --heap "0.3B": not a size`, `flag --param "k": not NAME=NUMBER`, `miss path "drop": unknown`,
		`policy "oracle": unknown`, "flag --seed: needs a value N",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is not in:\n%s", want, stderr.String())
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "12B": 12, "100MB": 1e8, "1.5KB": 1500, "2GiB": 2 << 30,
		"": -1, "MB": -1, "-1B": -1, "NaN": -1, "1TB": -1, "1e99": -1, "0.5B": -1,
	} {
		got, err := size(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d (%v)", text, got, want, err)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, flag := range []string{"--help", "-h"} {
		if code := run([]string{flag}, nil, &out, io.Discard); code != exitOK {
			t.Errorf("%s: exit %d", flag, code)
		}
	}
	for _, spec := range policy.Specs() {
		if !strings.Contains(out.String(), spec.Help) {
			t.Errorf("the help lacks policy %s", spec.Name)
		}
	}
	out.Reset()
	if code := run([]string{"--version"}, nil, &out, io.Discard); code != exitOK || out.String() != "target "+version+"\n" {
		t.Errorf("version: exit %d, %q", code, out.String())
	}
}
