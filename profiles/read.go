package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a profile: room for 10,000 phases, and no more than some 100 MB
// of tree whatever the text.
const MaxBytes = 2 << 20

// source is where nodes came from: a file, or a flag.
type source struct {
	name string // as Fault.File
	flag bool   // lines and columns mean nothing
}

// at is a fault at a node of the source; n may be nil.
func (s source) at(n *yaml.Node, key, format string, args ...any) Fault {
	f := Fault{File: s.name, Key: key, Message: fmt.Sprintf(format, args...)}
	if !s.flag && n != nil {
		f.Line, f.Column = n.Line, n.Column
	}
	return f
}

// readTree reads exactly one YAML document of plain mappings, lists and scalars.
func (s source) readTree(data []byte) (*yaml.Node, Faults) {
	if len(data) > MaxBytes {
		return nil, Faults{s.at(nil, "", "larger than %d bytes, too large for a profile", MaxBytes)}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, Faults{s.at(nil, "", "empty")}
		}
		return nil, Faults{s.syntax(err)}
	}
	root := &doc
	if len(doc.Content) > 0 {
		root = doc.Content[0]
	}
	faults := s.plain(root, nil)
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		faults = append(faults, s.at(&second, "", "a second document: a profile is one"))
	case !errors.Is(err, io.EOF):
		faults = append(faults, s.syntax(err))
	}
	return root, faults
}

// syntax turns "yaml: line 3: did not find …" into a fault of that line.
func (s source) syntax(err error) Fault {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	f := s.at(nil, "", "not YAML: %s", text)
	if rest, ok := strings.CutPrefix(text, "line "); ok && !s.flag {
		number, message, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			f.Line, f.Message = line, "not YAML: "+message
		}
	}
	return f
}

// plain refuses what lets one text stand for another: anchors, aliases, merge
// keys and explicit tags. The parser bounds the depth.
func (s source) plain(n *yaml.Node, faults Faults) Faults {
	switch {
	case n.Kind == yaml.AliasNode:
		return append(faults, s.at(n, "", "alias *%s: a profile has no aliases", clip(n.Value)))
	case n.Anchor != "":
		faults = append(faults, s.at(n, "", "anchor &%s: a profile has no anchors", clip(n.Anchor)))
	case n.Style&yaml.TaggedStyle != 0:
		faults = append(faults, s.at(n, "", "tag %s: a profile has no tags", clip(n.Tag)))
	case n.Tag == "!!merge":
		faults = append(faults, s.at(n, "", "merge key <<: a profile has no merge keys"))
	}
	for _, c := range n.Content {
		faults = s.plain(c, faults)
	}
	return faults
}

// describe names what a node is, for "expected …, found …".
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "no value"
	case "!!str":
		return "text " + strconv.Quote(clip(n.Value))
	case "!!int", "!!float":
		return "number " + clip(n.Value)
	}
	return clip(n.Value)
}
