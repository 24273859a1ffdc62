package profiles

import (
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// An object is a mapping being read: every key asked for is a known one, and
// close reports the others.
type object struct {
	at      value
	entries []entry
	asked   []string
}

// entry is one key of a mapping, in the order of the text.
type entry struct {
	keyNode *yaml.Node
	name    string
	value   value
}

// object reads a mapping and reports keys that are there twice. What is not a
// mapping is a fault, and reads as an empty one with ok false.
func (v value) object() (o *object, ok bool) {
	o = &object{at: v}
	if v.node.Kind != yaml.MappingNode {
		v.expected("a mapping")
		return o, false
	}
	seen := make(map[string]*yaml.Node, len(v.node.Content)/2)
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k, n := v.node.Content[i], v.node.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			v.child(k, "?").fault("a key must be text")
			continue
		}
		if first := seen[k.Value]; first != nil {
			v.child(k, pathName(k.Value)).fault("duplicate key, first on line %d", first.Line)
			continue
		}
		seen[k.Value] = k
		o.entries = append(o.entries, entry{keyNode: k, name: k.Value, value: v.child(n, pathName(k.Value))})
	}
	return o, true
}

// pathName is a key as part of a path: quoted where it would be unclear bare.
func pathName(name string) string {
	for _, r := range name {
		if r <= ' ' || r == '.' || r == '"' || r == 0x7f {
			return strconv.Quote(clip(name))
		}
	}
	return clip(name)
}

// field is the value of a key, if it is there.
func (o *object) field(name string) (value, bool) {
	if !slices.Contains(o.asked, name) { // a key may be asked for twice, and is one
		o.asked = append(o.asked, name)
	}
	for _, e := range o.entries {
		if e.name == name {
			return e.value, true
		}
	}
	return value{}, false
}

// required is field, and a fault when the key is missing.
func (o *object) required(name string) (value, bool) {
	v, ok := o.field(name)
	if !ok {
		o.at.fault("missing key %s", name)
	}
	return v, ok
}

// close reports the keys nobody asked for.
func (o *object) close() {
	for _, e := range o.entries {
		if !slices.Contains(o.asked, e.name) {
			value{d: o.at.d, node: e.keyNode, key: e.value.key}.fault("%s", UnknownName("key", e.name, o.asked))
		}
	}
}

func (o *object) duration(name string, dst *time.Duration, least, most time.Duration) {
	if v, ok := o.field(name); ok {
		v.duration(dst, least, most)
	}
}

func (o *object) integer(name string, dst *int, least, most int) {
	if v, ok := o.field(name); ok {
		v.integer(dst, least, most)
	}
}

func (o *object) choice(name string, dst *string, words ...string) {
	if v, ok := o.field(name); ok {
		v.choice(dst, words...)
	}
}

func (o *object) boolean(name string, dst *bool) {
	if v, ok := o.field(name); ok {
		v.boolean(dst)
	}
}

func (o *object) line(name string, dst *string) {
	if v, ok := o.field(name); ok {
		v.line(dst)
	}
}

// variant reads "name" or "{name: parameter}", the form of everything that has
// kinds with parameters of their own. param is a nil node for the bare name.
func (v value) variant() (name string, at, param value, ok bool) {
	if v.node.Kind == yaml.MappingNode {
		o, _ := v.object()
		if len(v.node.Content) != 2 || len(o.entries) != 1 {
			v.fault("expected exactly one name, as in {name: {parameter: 1}}, found %d", len(v.node.Content)/2)
			return "", v, value{}, false
		}
		e := o.entries[0]
		return e.name, value{d: v.d, node: e.keyNode, key: e.value.key}, e.value, true
	}
	name, ok = v.scalar("a name, or {name: {parameter: 1}}")
	return name, v, value{}, ok
}
