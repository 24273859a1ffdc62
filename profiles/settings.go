package profiles

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Setting is one value of a resolved profile.
type Setting struct {
	Key    string // a path as --set takes it
	Value  string // as YAML, on one line
	Origin string // FILE:LINE, "--set KEY" or another flag, or "default"
}

// DefaultOrigin is of values that nobody gave.
const DefaultOrigin = "default"

// Settings lists every value of the profile, secrets hidden, with where it came
// from. A value written in a short form, as policy: ewma, is one setting.
func (p *Profile) Settings() []Setting {
	resolved, faults := source{}.readTree(p.Redacted().YAML())
	if len(faults) > 0 { // the round-trip tests would show it
		panic(fmt.Sprintf("profiles: reading back %s: %v", p.Name, faults))
	}
	return p.Origins.list(nil, resolved, p.Origins.root, "")
}

// Origins is the tree that a profile was read from. It is no part of what the
// profile says: profiles that say the same are equal, whoever said it.
type Origins struct {
	root *yaml.Node
	d    *decoder
}

// Equal is always true, see Origins.
func (Origins) Equal(Origins) bool { return true }

// list goes down the resolved tree and, as far as it goes, the given one.
func (o Origins) list(settings []Setting, resolved, given *yaml.Node, key string) []Setting {
	if given != nil && given.Kind != resolved.Kind || len(resolved.Content) == 0 || oneLine(resolved, given) {
		return append(settings, Setting{Key: key, Value: line(resolved), Origin: o.origin(given)})
	}
	if resolved.Kind == yaml.SequenceNode {
		for i, item := range resolved.Content {
			var from *yaml.Node
			if given != nil && i < len(given.Content) {
				from = given.Content[i]
			}
			settings = o.list(settings, item, from, key+"["+strconv.Itoa(i)+"]")
		}
		return settings
	}
	for i := 0; i+1 < len(resolved.Content); i += 2 {
		name := resolved.Content[i].Value
		var from *yaml.Node
		if given != nil {
			from = child(given, name)
		}
		path := name
		if key != "" {
			path = key + "." + name
		}
		settings = o.list(settings, resolved.Content[i+1], from, path)
	}
	return settings
}

// oneLine reports whether a mapping stands for one value: nobody gave it, or all of
// it stands on one line, as a rate from and to.
func oneLine(resolved, given *yaml.Node) bool {
	flat := resolved.Style&yaml.FlowStyle != 0
	return flat && (given == nil || given.Style&yaml.FlowStyle != 0 && sameNames(resolved, given))
}

// sameNames reports whether two mappings have the same keys.
func sameNames(a, b *yaml.Node) bool {
	if a.Kind != yaml.MappingNode || len(a.Content) != len(b.Content) {
		return false
	}
	for i := 0; i < len(a.Content); i += 2 {
		if child(b, a.Content[i].Value) == nil {
			return false
		}
	}
	return true
}

func (o Origins) origin(given *yaml.Node) string {
	if given == nil {
		return DefaultOrigin
	}
	s := o.d.source(given)
	if s.flag || given.Line == 0 {
		return s.name
	}
	return s.name + ":" + strconv.Itoa(given.Line)
}

// line writes a tree on one line.
func line(n *yaml.Node) string {
	flat := *n
	if len(flat.Content) > 0 {
		flat.Style |= yaml.FlowStyle
	}
	return strings.Join(strings.Fields(string(document(&flat))), " ")
}
