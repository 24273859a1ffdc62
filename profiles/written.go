package profiles

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Written tells where values stand that a profile cannot check by itself, such as
// thresholds, whose metrics it does not know. Keys are paths, as thresholds[0].
// It is no part of what a profile says: profiles that say the same are equal,
// wherever that was written.
type Written map[string]Fault

// Equal is always true, see Written.
func (Written) Equal(Written) bool { return true }

// note remembers where a value and everything below it stands.
func (w Written) note(v value) { w.walk(v.d, v.d.source(v.node), v.node, v.key) }

func (w Written) walk(d *decoder, from source, n *yaml.Node, key string) {
	if of, ok := d.from[n]; ok {
		from = of
	}
	w[key] = from.at(n, key, "")
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.walk(d, from, item, fmt.Sprintf("%s[%d]", key, i))
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.walk(d, from, n.Content[i+1], key+"."+n.Content[i].Value)
		}
	}
}

// place is where a key stands, or the nearest one above it; what a function does
// not say itself is said by the request of all.
func (w Written) place(key string) (Fault, bool) {
	for at := key; at != ""; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
		if f, known := w[at]; known {
			if rest, of := strings.CutPrefix(key, at); of && at == functionOf.FindString(key) && strings.HasPrefix(rest, ".request.") {
				if shared, known := w.place(rest[1:]); known {
					return shared, true
				}
			}
			return f, true
		}
	}
	return Fault{}, false
}

var functionOf = regexp.MustCompile(`^functions\[\d+\]`)

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
	f, known := p.Written.place(key)
	if !known {
		f.File = "profile " + p.Name
	}
	f.Key, f.Message = key, message
	return f
}
