package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/profiles/arrival"
)

// small is the shortest valid profile; tests append to it or change it.
const small = "target: {bundled: {}}\nphases: [{name: a, rate: 1/s, for: 1s}]\n"

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := Parse("dir/small.yaml", []byte(small), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Profile{
		Name: "small", Seed: 1,
		Target: Target{Bundled: &Bundled{
			Policy: Policy{Name: "ewma"}, Worker: "fork", Work: "sleep",
			Service:     Service{Law: "fixed", Mean: 500 * time.Millisecond},
			Miss:        Miss{Kind: "oneoff", After: 300 * time.Millisecond},
			IdleTimeout: 6 * time.Second, Scavenge: time.Second, Tick: 2 * time.Second,
			MaxWorkers: 64, Reactors: 1, Heap: 100e6,
		}},
		Request:      Request{Method: "GET", Path: "/invoke", Timeout: 10 * time.Second, Counter: defaultCounter},
		Arrivals:     Arrivals{Law: "even"},
		Phases:       []Phase{{Name: "a", Rate: Rate{From: 1, To: 1}, For: time.Second}},
		Cycles:       Cycles{Count: 1},
		Precision:    Precision{Kind: "exact"},
		Late:         Late{Kind: "send"},
		Cold:         Cold{Header: "X-Cold-Start"},
		Monitor:      Monitor{Interval: time.Second},
		DrainTimeout: 10 * time.Second,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKey(t *testing.T) {
	t.Parallel()
	got, err := Load(filepath.Join("testdata", "every-key.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	phase, eight := 500*time.Millisecond, 8*time.Second
	want := &Profile{
		Name: "every-key", Description: `quotes " and: colons`, Seed: 18446744073709551615,
		Target: Target{Bundled: &Bundled{
			Policy: Policy{Name: "ewma", Params: map[string]float64{"k": 75, "h": 1.2e2}}, Workers: 3, Worker: "python-exec", Work: "image",
			Dispatch: "probabilistic:3,2.5", QueueLimit: 40, Tokens: 6, Servers: 2,
			Service:     Service{Law: "exponential", Mean: 333 * time.Millisecond},
			Miss:        Miss{Kind: "spawn"},
			IdleTimeout: 90 * time.Second, Scavenge: 100 * time.Millisecond, Tick: time.Second, TickPhase: &phase,
			MaxWorkers: 5, Reactors: 2, Heap: 64 << 20, StartDelay: 900 * time.Millisecond,
		}},
		Request: Request{
			Method: "PUT", Path: "/run%20it?x=a%20b", Body: Body{Text: "line 1\nline 2\n"}, Timeout: 1500 * time.Millisecond, Counter: defaultCounter,
			Headers: []Header{
				{"X-Tag", "a", "X-Tag: a"}, {"x-tag", "b:c", "x-tag:b:c"}, {"X-Empty", "", "X-Empty:"}, {"Host", "other", "Host: other"},
			},
		},
		Arrivals: Arrivals{Law: "h2", Params: arrival.Values{"p": {0.2}, "scv": {2.125}}},
		Phases: []Phase{
			{Name: "a", Rate: Rate{From: 2000, To: 2000}, For: 90 * time.Second, Measure: "cold"},
			{Name: "b", Rate: Rate{To: 0.1}, For: 36 * time.Hour},
			{Name: "c", For: time.Second},
		},
		Cycles: Cycles{Count: 12, Overrides: []Override{
			{Cycle: 1, Phase: "a", Rate: &Rate{From: 1, To: 2}},
			{Cycle: 1, Phase: "b", For: &eight},
			{Cycle: 10, Phase: "a", For: &eight, Rate: &Rate{}},
		}},
		Precision:    Precision{Kind: "quantum", Quantum: 2 * time.Millisecond},
		Late:         Late{Kind: "capped", Percent: 150.5},
		Cold:         Cold{Header: "X-Mine", Auto: true, Threshold: 700 * time.Millisecond},
		Monitor:      Monitor{Interval: 200 * time.Millisecond},
		DrainTimeout: 0, MaxInFlight: 1000, Connections: 100, Shards: 2, RowEvery: 10,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each fault in testdata/faults.yaml stands beside a comment with its message;
// all of them come out, at once and in order.
func TestEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "faults.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i, line := range strings.Split(string(data), "\n") {
		if _, message, ok := strings.Cut(line, "#! "); ok {
			for m := range strings.SplitSeq(message, " | ") {
				want = append(want, fmt.Sprintf("%d: %s", i+1, m))
			}
		}
	}
	_, err = Parse("faults.yaml", data, nil)
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%d: %s: %s", f.Line, f.Key, f.Message))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := err.Error(); !strings.HasPrefix(text, "faults.yaml:2:7: name: ") {
		t.Errorf("the text begins %q", clip(text))
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string // want: the whole error
	}{
		{"empty", "", "p.yaml: empty"},
		{"only a comment", "# nothing\n", "p.yaml: empty"},
		{"an empty document", "---\n", "p.yaml:2:1: empty"},
		{"not a mapping", "- a\n", "p.yaml:1:1: expected a mapping, found a list"},
		{"a word", "bursty\n", `p.yaml:1:1: expected a mapping, found text "bursty"`},
		{"a second document", small + "---\n" + small, "p.yaml:3:1: a second document: a profile is one"},
		{"syntax", "name: [a\n", "p.yaml:1: not YAML: did not find expected ',' or ']'"},
		{"a broken second document", small + "---\n[", "p.yaml:4: not YAML: did not find expected node content"},
		{"alias", "a: &x 1\nb: *x\n", "p.yaml:1:4: anchor &x: a profile has no anchors\np.yaml:2:4: alias *x: a profile has no aliases"},
		{"merge", "a: {<<: {b: 1}}\n", "p.yaml:1:5: merge key <<: a profile has no merge keys"},
		{"tag", "name: !!str 5\n", "p.yaml:1:7: tag !!str: a profile has no tags"},
		{"control characters", "name: a\x01b\n", "p.yaml: not YAML: control characters are not allowed"},
		{"all silent", "target: {bundled: {}}\nphases: [{name: a, rate: 0, for: 1s}]\n",
			"p.yaml:2:9: phases: no phase has a rate above 0: nothing would be sent"},
		{"silenced by overrides", small + "cycles: {override: {1: {a: {rate: 0}}}}\n",
			"p.yaml:2:9: phases: no phase has a rate above 0: nothing would be sent"},
		{"image work of forked Go", "target: {bundled: {work: image}}\nphases: [{name: a, rate: 1/s, for: 1s}]\n",
			"p.yaml:1:26: target.bundled.work: a forked copy of a Go process cannot resize images: give worker: exec, python or python-exec"},
		{"unknown work", "target: {bundled: {work: {kind: nap}}}\nphases: [{name: a, rate: 1/s, for: 1s}]\n",
			`p.yaml:1:33: target.bundled.work.kind: unknown value "nap" (known: sleep, cpu, image)`},
		{"too many phases", small + "cycles: {count: 200000}\n" + "drain_timeout: 1\n",
			"p.yaml:4:16: drain_timeout: 1: missing unit, write for example 1s or 1ms"},
		{"too long", "target: {bundled: {}}\nphases: [{name: a, rate: 1/h, for: 36000d}]\ncycles: {count: 2}\n",
			"p.yaml:2:9: phases: all phases together are longer than 876000h"},
		{"no target", "phases: [{name: a, rate: 1/s, for: 1s}]\n", "p.yaml:1:1: missing key target"},
		{"no phases", "target: {bundled: {}}\n", "p.yaml:1:1: missing key phases"},
		{"an empty list of phases", "target: {bundled: {}}\nphases: []\n", "p.yaml:2:9: phases: no phases"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("p.yaml", []byte(tt.text), nil)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFileNameThatIsNoName(t *testing.T) {
	t.Parallel()
	_, err := Parse("my profile.yaml", []byte(small), nil)
	if err == nil || !strings.Contains(err.Error(), `missing key name: the file's name "my profile" will not do`) {
		t.Errorf("error %v", err)
	}
}

func TestManyPhases(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("target: {bundled: {}}\nphases:\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "  - {name: phase-%d, rate: {from: 0.1/s, to: 0.3/s}, for: 10s, measure: cold}\n", i)
	}
	p, err := Parse("many.yaml", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil || s.Expected() != 20_000 {
		t.Errorf("expected %v arrivals (%v)", s.Expected(), err)
	}
}

func TestHopelessFilesAreBounded(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	tests := []struct{ name, text, want string }{
		{"20 MB", small + strings.Repeat("# comment\n", 2_000_000), "p.yaml: larger than 2097152 bytes"},
		{"alias bomb", bomb, "p.yaml:1:4: anchor &a"},
		{"deep flow", "a: " + strings.Repeat("[", 1_000_000), "exceeded max depth"},
		{"many unknown keys", strings.Repeat("x", 10) + ": 1\n" + manyKeys(50_000), "more faults"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("p.yaml", []byte(tt.text), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error lacks %q", tt.want)
			}
			if err != nil && len(err.Error()) > 20_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}

func TestLargeFileOnDisk(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, []byte(strings.Repeat("# comment\n", 2_000_000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "too large for a profile") {
		t.Errorf("error %v", err)
	}
}
