package profiles

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// untouched is a profile with nothing but what every profile has.
const untouched = "target: {url: 'http://h'}\nphases: [{name: p, rate: 1/s, for: 1s}]\n"

// Commented is the profile as a file for people: keys that have their default are
// left out, top stands above everything and comments above the keys they are of
// (phases, request.headers). It is read back as the same Profile.
func (p *Profile) Commented(top string, comments map[string]string) []byte {
	root := p.tree()
	plain, err := Parse("untouched", []byte(untouched), nil)
	if err != nil {
		panic("profiles: " + err.Error()) // a constant: the tests would show it
	}
	if list := child(root, "functions"); list != nil {
		for _, f := range list.Content {
			prune(child(f, "request"), child(root, "request"))
		}
	}
	prune(root, plain.tree(), "name", "target", "phases")
	comment(root, "", comments)
	var out strings.Builder
	for line := range strings.Lines(strings.TrimRight(top, "\n")) {
		out.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	out.Write(document(root))
	return []byte(out.String())
}

// prune takes out of a mapping what a base has as well, but for the keys to keep.
// A mapping written on one line stays whole.
func prune(n, base *yaml.Node, keep ...string) {
	if n == nil || base == nil {
		return
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		same := child(base, key.Value)
		switch {
		case same == nil || slices.Contains(keep, key.Value):
			// It stays.
		case line(v) == line(same):
			continue
		case v.Kind == yaml.MappingNode && same.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0:
			if prune(v, same); len(v.Content) == 0 {
				continue
			}
		}
		kept = append(kept, key, v)
	}
	n.Content = kept
}

func comment(n *yaml.Node, above string, comments map[string]string) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		key.HeadComment = comments[above+key.Value]
		comment(n.Content[i+1], above+key.Value+".", comments)
	}
}
