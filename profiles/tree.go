package profiles

import (
	"bytes"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// tree makes a mapping from names and nodes in turn.
func tree(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	add(n, pairs...)
	return n
}

// add appends names and nodes in turn to a mapping.
func add(n *yaml.Node, pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		n.Content = append(n.Content, word(pairs[i].(string)), pairs[i+1].(*yaml.Node))
	}
}

func sequence() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"} }

// flow writes a mapping on one line.
func flow(n *yaml.Node) *yaml.Node {
	n.Style = yaml.FlowStyle
	return n
}

// word is text that is written bare; the encoder quotes it where it would read
// back as something else.
func word(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// quoted is text of any content.
func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
}

// number is a number already written out, in whatever form YAML takes it for.
func number(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func integer(n int) *yaml.Node { return number(strconv.Itoa(n)) }

// document is a tree as a file. A tree of plain nodes written to memory cannot fail;
// the round-trip tests and the fuzz target would show it.
func document(root *yaml.Node) []byte {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		panic(fmt.Sprintf("profiles: encoding %v: %v", root.Content, err))
	}
	return out.Bytes()
}
