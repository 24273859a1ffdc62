package profiles

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Header is one header line of a request, kept as given.
type Header struct {
	Name  string // case as given
	Value string // without the blanks around it; may be empty
	Line  string // as it goes on the wire, without the line end: "Name:value" stays that
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headers reads a list of "Name: value", or a mapping of names to values. Order,
// case and repetition are kept; Host takes the place of the target's.
func (d *decoder) headers(v value) []Header {
	var headers []Header
	add := func(at value, line string) {
		if h, ok := at.header(line); ok {
			headers = append(headers, h)
		}
	}
	if v.node.Kind == yaml.MappingNode {
		o, _ := v.object()
		for _, e := range o.entries {
			switch {
			case e.value.node.Kind != yaml.ScalarNode:
				e.value.expected("the header's value")
			case e.value.node.Tag == "!!null" || e.value.node.Value == "":
				add(e.value, e.name+":")
			default:
				add(e.value, e.name+": "+e.value.node.Value)
			}
		}
		return headers
	}
	items, _ := v.list()
	for _, item := range items {
		var line string
		if item.text(&line) {
			add(item, line)
		}
	}
	return headers
}

// header splits a line and refuses what would change the message around it.
func (v value) header(line string) (h Header, ok bool) {
	name, text, found := strings.Cut(line, ":")
	switch {
	case strings.ContainsAny(line, "\r\n\x00"):
		v.fault("%q has a line end or a NUL: a header is one line", clip(line))
	case strings.ContainsFunc(line, func(r rune) bool { return isControl(r) && r != '\t' }):
		v.fault("%q has a control character", clip(line))
	case !found:
		v.fault("%q has no colon, write \"Name: value\"", clip(line))
	case !headerName.MatchString(name):
		v.fault("%q is not a header name", clip(name))
	case strings.EqualFold(name, "Content-Length") || strings.EqualFold(name, "Transfer-Encoding"):
		v.fault("%s is written by the generator, to fit the body", name)
	default:
		v.template(text, true)
		return Header{Name: name, Value: strings.Trim(text, " \t"), Line: line}, true
	}
	return Header{}, false
}
