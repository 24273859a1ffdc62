package profiles

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A decoder turns a tree into a Profile and collects every fault on its way.
type decoder struct {
	file   source
	from   map[*yaml.Node]source // nodes that do not come from file
	faults Faults
}

// source of a node.
func (d *decoder) source(n *yaml.Node) source {
	if s, ok := d.from[n]; ok {
		return s
	}
	return d.file
}

// A value is a node with the path of its key. Its readers leave the destination
// as it is when they report a fault.
type value struct {
	d    *decoder
	node *yaml.Node
	key  string
}

func (v value) fault(format string, args ...any) {
	v.d.faults = append(v.d.faults, v.d.source(v.node).at(v.node, v.key, format, args...))
}

// child is a value below v.
func (v value) child(n *yaml.Node, name string) value {
	key := name
	if v.key != "" {
		key = v.key + "." + name
	}
	return value{d: v.d, node: n, key: key}
}

// expected reports a value of the wrong type.
func (v value) expected(what string) {
	if v.node.Tag == "!!null" {
		v.fault("no value, expected %s", what)
		return
	}
	v.fault("expected %s, found %s", what, describe(v.node))
}

// scalar is the text of a scalar that is not null.
func (v value) scalar(what string) (string, bool) {
	if v.node.Kind != yaml.ScalarNode || v.node.Tag == "!!null" {
		v.expected(what)
		return "", false
	}
	return v.node.Value, true
}

// text reads text; a number or a truth value must be quoted to be one.
func (v value) text(dst *string) bool {
	if v.node.Kind != yaml.ScalarNode || v.node.Tag != "!!str" {
		v.expected("text (in quotes, if it looks like something else)")
		return false
	}
	if !utf8.ValidString(v.node.Value) {
		v.fault("not UTF-8")
		return false
	}
	*dst = v.node.Value
	return true
}

// lines reads a list of one-line texts.
func (v value) lines(dst *[]string) {
	items, _ := v.list()
	for _, item := range items {
		var text string
		item.line(&text)
		if text == "" {
			item.fault("empty")
			continue
		}
		*dst = append(*dst, text)
	}
}

// line reads text without line ends and other control characters.
func (v value) line(dst *string) bool {
	var text string
	if !v.text(&text) {
		return false
	}
	if i := strings.IndexFunc(text, isControl); i >= 0 {
		v.fault("has a control character (%s)", strconv.QuoteToASCII(text[i:i+1]))
		return false
	}
	*dst = text
	return true
}

// isControl is true for what would break a line apart.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// choice reads one of a few words.
func (v value) choice(dst *string, words ...string) bool {
	text, ok := v.scalar("one of " + strings.Join(words, ", "))
	if !ok {
		return false
	}
	if !slices.Contains(words, text) {
		v.fault("%s", UnknownName("value", text, words))
		return false
	}
	*dst = text
	return true
}

// boolean reads true or false.
func (v value) boolean(dst *bool) {
	word := "false"
	if v.choice(&word, "true", "false") {
		*dst = word == "true"
	}
}

func (v value) isScalar() bool { return v.node.Kind == yaml.ScalarNode }

// duration reads a time with its unit, least ≤ d ≤ most.
func (v value) duration(dst *time.Duration, least, most time.Duration) bool {
	text, ok := v.scalar("a duration such as 500ms")
	if !ok {
		return false
	}
	d, err := ParseDuration(text)
	switch {
	case err != nil:
		v.fault("%v", err)
	case d < least && d == 0:
		v.fault("%s must be above 0", clip(text))
	case d < least:
		v.fault("%s is below %s", clip(text), formatDuration(least))
	case d > most:
		v.fault("%s is above %s", clip(text), formatDuration(most))
	default:
		*dst = d
		return true
	}
	return false
}

// size reads a number of bytes with its unit.
func (v value) size(dst *int64, most int64) bool {
	text, ok := v.scalar("a size such as 100MB")
	if !ok {
		return false
	}
	n, err := ParseSize(text)
	switch {
	case err != nil:
		v.fault("%v", err)
	case n > most:
		v.fault("%s is above %s", clip(text), formatSize(most))
	default:
		*dst = n
		return true
	}
	return false
}

// integer reads a whole number, least ≤ n ≤ most.
func (v value) integer(dst *int, least, most int) bool {
	text, ok := v.scalar("a whole number")
	if !ok {
		return false
	}
	n, err := parseInteger(text)
	switch {
	case err != nil:
		v.fault("%v", err)
	case n < int64(least):
		v.fault("%d is below %d", n, least)
	case n > int64(most):
		v.fault("%d is above %d", n, most)
	default:
		*dst = int(n)
		return true
	}
	return false
}

// number reads a finite number.
func (v value) number(dst *float64) bool {
	text, ok := v.scalar("a number")
	if !ok {
		return false
	}
	x, err := parseNumber(text)
	if err != nil {
		v.fault("%v", err)
		return false
	}
	*dst = x
	return true
}

// list reads a list; the items keep the path with their index.
func (v value) list() ([]value, bool) {
	if v.node.Kind != yaml.SequenceNode {
		v.expected("a list")
		return nil, false
	}
	items := make([]value, len(v.node.Content))
	for i, n := range v.node.Content {
		items[i] = value{d: v.d, node: n, key: v.key + "[" + strconv.Itoa(i) + "]"}
	}
	return items, true
}
