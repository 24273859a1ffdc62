package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A node is a value of JSON with its place, so that a fault can name it.
type node struct {
	at     position
	value  any // string, json.Number, bool or nil; of an object or a list nothing
	object bool
	list   bool
	fields []field // of an object, in order
	items  []node  // of a list
}

type field struct {
	name string
	node
}

// maxDepth bounds nesting.
const maxDepth = 64

// tree reads one JSON value and nothing behind it; start is where text stands.
func tree(text string, start position) (node, error) {
	t := &treeReader{text: text, at: start, dec: json.NewDecoder(strings.NewReader(text))}
	t.dec.UseNumber()
	n, err := t.value(0)
	if err == nil {
		if _, more := t.dec.Token(); more != io.EOF {
			err = errors.New("something follows the JSON value")
		}
	}
	if err != nil {
		var syntax *json.SyntaxError
		offset := t.dec.InputOffset()
		if errors.As(err, &syntax) {
			offset = syntaxOffset(text, syntax)
		}
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err, offset = errors.New("the JSON ends in the middle"), int64(len(text))
		}
		return node{at: start.advance(text[:min(int(offset), len(text))])}, err
	}
	return n, nil
}

// syntaxOffset is where the offending byte stands. The decoder counts it in or
// not, depending on who of its two readers met it.
func syntaxOffset(text string, err *json.SyntaxError) int64 {
	if i := err.Offset; i < int64(len(text)) && strings.Contains(err.Error(), strconv.QuoteRune(rune(text[i]))) {
		return i
	}
	return max(err.Offset-1, 0)
}

type treeReader struct {
	text string
	done int // bytes that at is behind
	at   position
	dec  *json.Decoder
}

// place is where the next token begins: behind blanks and the punctuation that
// the decoder keeps to itself.
func (t *treeReader) place() position {
	offset := int(t.dec.InputOffset())
	for offset < len(t.text) && strings.IndexByte(" \t\r\n,:", t.text[offset]) >= 0 {
		offset++
	}
	t.at = t.at.advance(t.text[t.done:offset])
	t.done = offset
	return t.at
}

func (t *treeReader) value(depth int) (n node, err error) {
	n.at = t.place()
	token, err := t.dec.Token()
	if err != nil {
		return n, err
	}
	if depth > maxDepth {
		return n, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch token {
	case json.Delim('{'):
		n.object = true
		for t.dec.More() {
			f := field{}
			at := t.place()
			key, err := t.dec.Token()
			if err != nil {
				return n, err
			}
			f.name = key.(string) // the decoder accepts nothing else
			if f.node, err = t.value(depth + 1); err != nil {
				return n, err
			}
			f.at = at
			n.fields = append(n.fields, f)
		}
		_, err = t.dec.Token()
	case json.Delim('['):
		n.list = true
		for t.dec.More() {
			item, err := t.value(depth + 1)
			if err != nil {
				return n, err
			}
			n.items = append(n.items, item)
		}
		_, err = t.dec.Token()
	default:
		n.value = token
	}
	return n, err
}

// field of an object; false when there is none, or null.
func (n node) field(name string) (node, bool) {
	for i := len(n.fields) - 1; i >= 0; i-- { // the last counts, as everywhere
		if f := n.fields[i]; f.name == name && (f.value != nil || f.object || f.list) {
			return f.node, true
		}
	}
	return node{}, false
}

// text of a value that is a string or a number.
func (n node) text() (string, bool) {
	switch v := n.value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}
