package model

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is a node with the path of its key.
type value struct {
	node *yaml.Node
	key  string
	f    *faults
}

func (v value) spot() spot { return at(v.node, v.key) }

func (v value) fault(format string, args ...any) { v.f.add(v.spot(), format, args...) }

// fields reads a mapping with known keys; every other key, and one that is
// there twice, is a fault.
func (v value) fields(known ...string) map[string]value {
	out := map[string]value{}
	if v.node.Kind != yaml.MappingNode {
		v.fault("expected a mapping with the keys %s, found %s", strings.Join(known, ", "), describe(v.node))
		return out
	}
	for name, field := range v.entries() {
		if !slices.Contains(known, name) {
			field.f.add(at(v.keyNode(name), field.key), "unknown key (known: %s)", strings.Join(known, ", "))
			continue
		}
		out[name] = field
	}
	return out
}

// entries reads a mapping with free keys, in the order of the text.
func (v value) entries() func(yield func(string, value) bool) {
	return func(yield func(string, value) bool) {
		if v.node.Kind != yaml.MappingNode {
			v.fault("expected a mapping, found %s", describe(v.node))
			return
		}
		seen := map[string]int{}
		for i := 0; i+1 < len(v.node.Content); i += 2 {
			k, n := v.node.Content[i], v.node.Content[i+1]
			field := value{n, strings.TrimPrefix(v.key+"."+k.Value, "."), v.f}
			if line, twice := seen[k.Value]; twice || k.Kind != yaml.ScalarNode {
				v.f.add(at(k, field.key), "duplicate key, or no text (first on line %d)", line)
				continue
			}
			seen[k.Value] = k.Line
			if !yield(k.Value, field) {
				return
			}
		}
	}
}

func (v value) keyNode(name string) *yaml.Node {
	for i := 0; i < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == name {
			return v.node.Content[i]
		}
	}
	return v.node
}

// items reads a list.
func (v value) items() []value {
	if v.node.Kind != yaml.SequenceNode {
		v.fault("expected a list, found %s", describe(v.node))
		return nil
	}
	out := make([]value, len(v.node.Content))
	for i, n := range v.node.Content {
		out[i] = value{n, fmt.Sprintf("%s[%d]", v.key, i), v.f}
	}
	return out
}

// text reads a scalar.
func (v value) text() string {
	if v.node.Kind != yaml.ScalarNode || v.node.Tag == "!!null" {
		v.fault("expected text, found %s", describe(v.node))
		return ""
	}
	return v.node.Value
}

// required returns a field that has to be there.
func (v value) required(fields map[string]value, name string) (value, bool) {
	f, ok := fields[name]
	if !ok && v.node.Kind == yaml.MappingNode {
		v.fault("missing key %s", name)
	}
	return f, ok
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	if len(n.Value) > 40 {
		return fmt.Sprintf("%.40q…", n.Value)
	}
	return fmt.Sprintf("%q", n.Value)
}
