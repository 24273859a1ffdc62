package rundir

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Config is a resolved profile by its top-level keys, without the seed: what
// two trials of one experiment have in common.
type Config map[string]string

// ReadConfig reads the profile of a run directory.
func ReadConfig(dir string) (Config, error) {
	path := filepath.Join(dir, ProfileFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Unreadable(err)
	}
	if why := torn(data); why != "" {
		return nil, Unreadable(fmt.Errorf("%s: %s", path, why))
	}
	return ParseConfig(string(data)), nil
}

// ParseConfig cuts the text at lines that are not indented. It is our own
// writer's canonical YAML, so equal text is equal meaning.
func ParseConfig(text string) Config {
	c := Config{}
	key := ""
	for line := range strings.Lines(text) {
		if line[0] != ' ' && line[0] != '\n' {
			key, _, _ = strings.Cut(strings.TrimSpace(line), ":")
		}
		if key != "seed" && key != "" {
			c[key] += line
		}
	}
	return c
}

// Differing lists the keys in which two configs differ, of those given, or of
// all when none is given.
func (c Config) Differing(o Config, keys ...string) []string {
	if len(keys) == 0 {
		all := maps.Clone(c)
		maps.Copy(all, o)
		keys = slices.Sorted(maps.Keys(all))
	}
	var out []string
	for _, k := range keys {
		if c[k] != o[k] {
			out = append(out, k)
		}
	}
	return out
}

// Changes are the lines in which two configs differ, "policy: ewma → static".
func (c Config) Changes(o Config) []string {
	var out []string
	for _, key := range c.Differing(o) {
		if key == "name" || key == "description" {
			continue
		}
		a, b := fields(c[key]), fields(o[key])
		all := maps.Clone(a)
		maps.Copy(all, b)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if a[name] != b[name] {
				out = append(out, fmt.Sprintf("%s: %s → %s", name, orNone(a[name]), orNone(b[name])))
			}
		}
	}
	return out
}

// fields are the lines of a section by their dotted keys, with their values.
// Nested keys are found by indentation; list items count by their text.
func fields(section string) map[string]string {
	out := map[string]string{}
	var path []string
	for line := range strings.Lines(section) {
		indent := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		key, value, found := strings.Cut(strings.TrimSpace(line), ":")
		path = append(path[:min(indent, len(path))], key)
		if value = strings.TrimSpace(value); found && value != "" || !found {
			out[strings.Join(path, ".")] = value
		}
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
