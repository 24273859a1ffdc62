package profiles

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files")

func TestResolvedGolden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bursty-ramp", "testdata/every-key.yaml"} {
		golden := filepath.Join("testdata", profileName(name)+".resolved.yaml")
		got := load(t, name).YAML()
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestResolvedProfilesReadBack(t *testing.T) {
	t.Parallel()
	names := []string{"testdata/every-key.yaml"}
	for _, info := range Embedded() {
		names = append(names, info.Name)
	}
	for _, name := range names {
		roundTrip(t, load(t, name))
	}
	// Words that YAML takes for something else.
	text := "name: '1e3'\ndescription: 'true: '\n" +
		"target: {bundled: {policy: 'null'}}\nphases: [{name: '2020-01-01', rate: 1/s, for: 1s}]\n" +
		"request: {body: \"\\0 \\u2028 \\t\\r\\n \"}\n" +
		"cycles: {override: {1: {'2020-01-01': {for: 2s}}}}\n"
	p, err := Parse("p.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, p)
}

// roundTrip: the resolved text gives the same profile, hash and text again.
func roundTrip(t *testing.T, p *Profile) {
	t.Helper()
	text := p.YAML()
	again, err := Parse("resolved.yaml", text, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	copied := *p
	copied.Recorded = nil // what files hold is no part of the text
	if diff := cmp.Diff(&copied, again); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
	if p.Hash() != again.Hash() {
		t.Error("another hash")
	}
}

func TestHashFollowsTheMeaning(t *testing.T) {
	t.Parallel()
	hash := func(text string) string {
		p, err := Parse("p.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash()
	}
	want := hash(small)
	for _, same := range []string{"# a comment\n" + small, small + "seed: 1\n", strings.Replace(small, "1s", "1000ms", 1), strings.Replace(small, "1/s", "60/m", 1)} {
		if hash(same) != want {
			t.Errorf("another hash for\n%s", same)
		}
	}
	for _, other := range []string{small + "seed: 2\n", strings.Replace(small, "1s", "2s", 1), small + "drain_timeout: 1s\n"} {
		if hash(other) == want {
			t.Errorf("the same hash for\n%s", other)
		}
	}
}

// No text makes Parse panic, and what it accepts can be scheduled and reads back.
func FuzzParse(f *testing.F) {
	for _, info := range Embedded() {
		data, _ := EmbeddedYAML(info.Name)
		f.Add(data, "seed", "2")
	}
	for _, name := range []string{"every-key.yaml", "faults.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "phases[0].rate", "{from: 0, to: 1/m}")
	}
	f.Add([]byte(small), "target.url", "http://u:p@[::1]:80/a b?c")
	f.Add([]byte("a: &a [*a]"), "cycles.override.1.a.for", "1d")
	f.Fuzz(func(t *testing.T, data []byte, key, val string) {
		p, err := Parse("fuzz.yaml", data, []Set{{key, val}})
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without text")
			}
			return
		}
		roundTrip(t, p)
		if _, err := p.Schedule(); err != nil && !p.Arrivals.Recorded() && !strings.Contains(err.Error(), "arrivals come within") {
			t.Errorf("accepted, yet %v", err)
		}
	})
}
