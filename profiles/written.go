package profiles

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Written tells where values stand that a profile cannot check by itself, such as
// thresholds, whose metrics it does not know. Keys are paths, as thresholds[0].
// It is no part of what a profile says: profiles that say the same are equal,
// wherever that was written.
type Written map[string]Fault

// Equal is always true, see Written.
func (Written) Equal(Written) bool { return true }

// note remembers where the items of a list stand.
func (w Written) note(list value) {
	if list.node.Kind != yaml.SequenceNode {
		return
	}
	items, _ := list.list()
	for _, item := range items {
		w[item.key] = item.d.source(item.node).at(item.node, item.key, "")
	}
}

// AddThreshold adds one that the flag was given on a command line.
func (p *Profile) AddThreshold(flag, expression string) {
	key := fmt.Sprintf("thresholds[%d]", len(p.Thresholds))
	p.Thresholds = append(p.Thresholds, expression)
	if p.Written == nil {
		p.Written = Written{}
	}
	p.Written[key] = Fault{File: flag, Key: key}
}

// Fault is one at the value of a key, with its place where that is known.
func (p *Profile) Fault(key, message string) Fault {
	f, known := p.Written[key]
	if !known {
		f = Fault{File: "profile " + p.Name, Key: key}
	}
	f.Message = message
	return f
}
