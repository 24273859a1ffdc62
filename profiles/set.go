package profiles

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Set changes one key of a profile before it is checked: a path such as
// seed, target.bundled.policy, phases[2].rate or phases.spike.rate, and a YAML
// value. Mappings on the way are made as needed, and a bare name on the way
// becomes one, so target.bundled.policy.ewma.k works where policy is ewma. The
// bare name of what is there already leaves it with its parameters.
// Setting a key below target.url or target.bundled puts the other one away,
// unless it was set too.
type Set struct{ Key, Value string }

const setPrefix = "--set "

// ParseSet splits "key=value".
func ParseSet(text string) (Set, error) {
	key, val, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return Set{}, fmt.Errorf("--set %q: write key=value", clip(text))
	}
	return Set{Key: key, Value: val}, nil
}

// step is one part of a path: a name with indices, as in phases[2].
var step = regexp.MustCompile(`^([^\[\]]+)((?:\[\d{1,9}\])*)$`)

// maxSteps bounds a path; no profile is deeper than 8.
const maxSteps = 16

// apply sets one key in the tree below v.
func (v value) apply(s Set) {
	src := source{name: setPrefix + s.Key, flag: true}
	fault := func(format string, args ...any) {
		v.d.faults = append(v.d.faults, src.at(nil, s.Key, format, args...))
	}
	val, faults := src.readTree([]byte(s.Value))
	if len(faults) > 0 {
		for i := range faults {
			faults[i].Key = s.Key
		}
		v.d.faults = append(v.d.faults, faults...)
		return
	}
	path, err := splitPath(s.Key)
	if err != nil {
		fault("%v", err)
		return
	}
	v.d.mark(val, src)
	node := v.node
	if node.Kind != yaml.MappingNode {
		return // said once for the whole profile
	}
	for i, name := range path {
		next, err := v.d.descend(node, name, src)
		if err != nil {
			fault("%v", err)
			return
		}
		if i == 0 && name == "target" && len(path) > 1 {
			switch path[1] {
			case "url":
				v.d.putAway(next, "bundled")
			case "bundled":
				v.d.putAway(next, "url")
			}
		}
		node = next
	}
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 && val.Kind == yaml.ScalarNode && node.Content[0].Value == val.Value {
		return // ewma over {ewma: {k: 75}}: a choice already made, not a reset
	}
	*node = *val
	v.d.from[node] = src
}

// splitPath gives names and, as "[2]", indices.
func splitPath(key string) ([]string, error) {
	var path []string
	for part := range strings.SplitSeq(key, ".") {
		m := step.FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("%q is not a key path, write for example target.bundled.tick or phases[2].rate", clip(key))
		}
		path = append(path, m[1])
		for index := range strings.SplitAfterSeq(m[2], "]") {
			if index != "" {
				path = append(path, index)
			}
		}
	}
	if len(path) > maxSteps {
		return nil, fmt.Errorf("%q is deeper than any profile", clip(key))
	}
	return path, nil
}

// descend goes to the child called name, made where a mapping lacks it.
func (d *decoder) descend(n *yaml.Node, name string, src source) (*yaml.Node, error) {
	if index, ok := strings.CutPrefix(name, "["); ok {
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || n.Kind != yaml.SequenceNode || i >= len(n.Content) {
			return nil, fmt.Errorf("there is no item %s", name)
		}
		return n.Content[i], nil
	}
	if n.Kind == yaml.SequenceNode {
		return item(n, name)
	}
	if n.Kind == yaml.ScalarNode {
		*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		d.from[n] = src
	}
	if c := child(n, name); c != nil {
		return c, nil
	}
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
	c := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	n.Content = append(n.Content, k, c)
	d.from[k], d.from[c] = src, src
	return c, nil
}

// item finds the member of a list by its name.
func item(n *yaml.Node, name string) (*yaml.Node, error) {
	var names []string
	for _, c := range n.Content {
		if at := child(c, "name"); at != nil {
			if at.Value == name {
				return c, nil
			}
			names = append(names, at.Value)
		}
	}
	return nil, fmt.Errorf("%s", UnknownName("item", name, names))
}

// child is the value of a key of a mapping, or nil.
func child(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// putAway removes the other kind of target, if the file gave it: whoever sets
// target.url on the command line means "instead".
func (d *decoder) putAway(target *yaml.Node, other string) {
	for i := 0; target.Kind == yaml.MappingNode && i+1 < len(target.Content); i += 2 {
		if _, set := d.from[target.Content[i]]; target.Content[i].Value == other && !set {
			target.Content = append(target.Content[:i:i], target.Content[i+2:]...)
			return
		}
	}
}

// mark records where a tree came from.
func (d *decoder) mark(n *yaml.Node, src source) {
	d.from[n] = src
	for _, c := range n.Content {
		d.mark(c, src)
	}
}
