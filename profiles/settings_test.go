package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every setting can be given back by --set, and changes nothing.
func TestSettingsAreSets(t *testing.T) {
	t.Parallel()
	texts := map[string][]byte{}
	for _, info := range Embedded() {
		texts[info.Name], _ = EmbeddedYAML(info.Name)
	}
	every, err := os.ReadFile(filepath.Join("testdata", "every-key.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	texts["every-key"] = every
	for name, text := range texts {
		p, err := Parse(name+".yaml", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		var sets []Set
		for _, s := range p.Settings() {
			if s.Key == "" || s.Origin == "" {
				t.Errorf("%s: %+v", name, s)
			}
			sets = append(sets, Set{s.Key, s.Value})
		}
		again, err := Parse(name+".yaml", text, sets)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(p.Redacted(), again.Redacted()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	text := `name: x
target:
  url: https://user:secret@example.org/
phases:
  - {name: a, rate: 1/s, for: 1s}
  - name: b
    rate: {from: 1/s, to: 2/s}
    for: 2s
`
	p, err := Parse("x.yaml", []byte(text), []Set{{"phases.b.for", "3s"}, {"seed", "7"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range p.Settings() {
		got[s.Key] = s.Value + " | " + s.Origin
		if strings.Contains(s.Value, "secret") {
			t.Errorf("%+v", s)
		}
	}
	for key, want := range map[string]string{
		"name":           "x | x.yaml:1",
		"seed":           "7 | --set seed",
		"phases[0]":      "{name: a, rate: 1/s, for: 1s} | x.yaml:5",
		"phases[1].name": "b | x.yaml:6",
		"phases[1].rate": "{from: 1/s, to: 2/s} | x.yaml:7",
		"phases[1].for":  "3s | --set phases.b.for",
		"drain_timeout":  "10s | default",
		"late":           "send | default",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
}
