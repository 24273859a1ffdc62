package profiles

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEmbeddedProfiles(t *testing.T) {
	t.Parallel()
	shape := []uint64{16, 480, 150, 12, 0}
	later := []uint64{70, 480, 150, 12, 0}
	four := slices.Concat(shape, later, later, later)
	const recipe = "eb34c9f3f71eed6993e03ad3baf48f080da5ab68a4d1cbe68a18b5ebd5dcfcc1" // one schedule for all of them
	tests := []struct {
		name     string
		counts   []uint64 // of an even profile; nil: only the total
		expected float64
		length   time.Duration
		hash     string // of the schedule, pinned
	}{
		{"autoscaling", nil, 2970, 300 * time.Second,
			"4e317cced6867ff0e991a35dc891388c0800187cc9f7feb91dd4e203d1bd2896"},
		{"bursty-ramp", four, 2794, 309 * time.Second,
			"689ba184cbfe7c5b0b557d6037014a82a41f529928f26bf9d8fe6ddcabdf343a"},
		{"bursty-ramp-quick", four, 2794, 20599999996,
			"b079aa272a0334e1dd25707db793226aacf4a2f51df40b4acfb81ac316ac6d84"},
		{"constant", []uint64{300}, 300, 30 * time.Second,
			"0c941c6e683da4fe6fa2ee9a0203f2410b4ad6e065e81b36a0f862ef64f8e2f5"},
		{"faas-azure", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-functions-framework", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-generic", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-knative", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-lambda-rie", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-lambda-url", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"faas-openfaas", []uint64{10, 100, 0, 100}, 210, 95 * time.Second,
			recipe},
		{"h2", nil, 2490, 240 * time.Second,
			"de78856dba08bfa42e4851ad9fdcb58e37cc779184710a745fdb57451562e7a4"},
		{"mmpp", nil, 600, 60 * time.Second,
			"518d6b1780a571ba6f3d310309895eb9c25093dc3db44bdd51110f01983ede6a"},
		{"trace", nil, 826, 60 * time.Second,
			"e7fc2ef574d067f7a97d0506185067e99a353a59e4dff90888ed793ef90a0a42"},
		{"two-cycle", []uint64{20, 150, 12, 0, 10, 150, 12, 0}, 354, 53 * time.Second,
			"7dab6adde1d29991c0cf0e99726dcc5568a44c27c55b08b40ec80b6b21a536ed"},
		{"warmup-sweep", slices.Concat(later, later, later, later), 2848, 336 * time.Second,
			"b9bacdac186033d31ca2a45b6a4c0a1e71c35fb7f94b18a83cce733bff5d6d6e"},
	}
	var names []string
	for _, info := range Embedded() {
		if info.Description == "" {
			t.Errorf("%s has no description", info.Name)
		}
		names = append(names, info.Name)
	}
	for _, tt := range tests {
		if !slices.Contains(names, tt.name) {
			t.Errorf("%s is not embedded", tt.name)
		}
	}
	if len(names) != len(tests) || !slices.IsSorted(names) {
		t.Errorf("embedded %v; every one has a row in this test", names)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{tt.name, tt.name + ".yaml"} {
				p := load(t, name)
				s, err := p.Schedule()
				if err != nil {
					t.Fatal(err)
				}
				d, err := s.Digest(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if s.Expected() != tt.expected || s.Duration() != tt.length || d.Hash != tt.hash {
					t.Errorf("expected %v in %v, hash %s; want %v in %v, %s",
						s.Expected(), s.Duration(), d.Hash, tt.expected, tt.length, tt.hash)
				}
				if diff := cmp.Diff(tt.counts, d.Counts); tt.counts != nil && diff != "" {
					t.Error(diff)
				}
				if p.Name != tt.name {
					t.Errorf("name %q", p.Name)
				}
			}
		})
	}
}

func load(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The quick profile is the other one, a fifteenth in time, as near as nanoseconds allow.
func TestQuickIsTheSameShape(t *testing.T) {
	t.Parallel()
	full, quick := load(t, "bursty-ramp"), load(t, "bursty-ramp-quick")
	scaled := func(what string, long, short time.Duration) {
		if d := long - 15*short; d < -8 || d > 8 {
			t.Errorf("%s: %v is not a fifteenth of %v", what, short, long)
		}
	}
	a, b := full.Target.Bundled, quick.Target.Bundled
	scaled("service", a.Service.Mean, b.Service.Mean)
	scaled("miss", a.Miss.After, b.Miss.After)
	scaled("idle_timeout", a.IdleTimeout, b.IdleTimeout)
	scaled("scavenge", a.Scavenge, b.Scavenge)
	scaled("tick", a.Tick, b.Tick)
	scaled("start_delay", a.StartDelay, b.StartDelay)
	scaled("threshold", full.Cold.Threshold, quick.Cold.Threshold)
	x, y := full.flatten(), quick.flatten()
	if len(x) != len(y) {
		t.Fatalf("%d and %d phases", len(x), len(y))
	}
	for i := range x {
		scaled(x[i].Name, x[i].Length, y[i].Length)
		for _, ends := range [][2]float64{{x[i].Curve.Rate(0), y[i].Curve.Rate(0)}, {x[i].Curve.Rate(x[i].Length), y[i].Curve.Rate(y[i].Length)}} {
			if 15*ends[0] != ends[1] {
				t.Errorf("%s: rates %v", x[i].Name, ends)
			}
		}
	}
	if diff := cmp.Diff(map[string]float64{"k": 75, "h": 120}, b.Policy.Params); diff != "" {
		t.Error(diff)
	}
}

func TestAFileWinsOverAnEmbeddedProfile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // not parallel: profiles are looked for in the working folder
	if p := load(t, "constant.yaml"); p.Phases[0].For != 30*time.Second {
		t.Errorf("embedded: %+v", p.Phases)
	}
	if err := os.Mkdir("constant", 0o755); err != nil {
		t.Fatal(err)
	}
	load(t, "constant") // a folder does not count
	mine := "target: {bundled: {}}\nphases: [{name: mine, rate: 1/s, for: 1s}]\n"
	if err := os.WriteFile("constant.yaml", []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"constant.yaml", "constant", filepath.Join(dir, "constant.yaml")} {
		if p := load(t, name); p.Phases[0].Name != "mine" || p.Name != "constant" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestMissingProfileNamesTheEmbeddedOnes(t *testing.T) {
	t.Parallel()
	_, err := Load("bursty-rmp.yaml")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{`"bursty-rmp.yaml"`, "bursty-ramp, bursty-ramp-quick, constant, faas-azure, ", "did you mean bursty-ramp?"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "constant")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path to nowhere found an embedded profile: %v", err)
	}
}
