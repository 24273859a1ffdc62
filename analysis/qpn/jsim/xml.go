package jsim

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// element is any element of a model file: parameters nest as they like, and
// what belongs to a class follows its refClass, so order matters.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

// maxFile bounds the size of a model file in bytes.
const maxFile = 64 << 20

// decode reads the sim element: the root of .jsim, inside archive in .jsimg.
func decode(r io.Reader) (*element, error) {
	d := xml.NewDecoder(io.LimitReader(r, maxFile))
	d.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "ISO-8859-1") {
			return &latin1{r: input}, nil
		}
		return nil, fmt.Errorf("charset %q: neither UTF-8 nor ISO-8859-1", charset)
	}
	var root element
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("jsim: %w", err)
	}
	if root.XMLName.Local == "sim" {
		return &root, nil
	}
	if sim := root.child("sim", ""); sim != nil {
		return sim, nil
	}
	return nil, fmt.Errorf("jsim: root element %s has no sim element", root.XMLName.Local)
}

// latin1 turns ISO-8859-1 into UTF-8: every byte is its own code point.
type latin1 struct {
	r    io.Reader
	rest []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		var buf [4096]byte
		n, err := l.r.Read(buf[:])
		for _, b := range buf[:n] {
			l.rest = append(l.rest, string(rune(b))...)
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child of a kind, with a name if one is given.
func (e *element) child(kind, name string) *element {
	if e == nil {
		return nil
	}
	for i := range e.Children {
		if c := &e.Children[i]; c.XMLName.Local == kind && (name == "" || c.attr("name") == name) {
			return c
		}
	}
	return nil
}

// param returns the parameter or subParameter of a name.
func (e *element) param(name string) *element {
	if p := e.child("parameter", name); p != nil {
		return p
	}
	return e.child("subParameter", name)
}

// each calls f with the children of a kind.
func (e *element) each(kind string, f func(*element)) {
	if e == nil {
		return
	}
	for i := range e.Children {
		if c := &e.Children[i]; c.XMLName.Local == kind {
			f(c)
		}
	}
}

// of returns the parameter that follows a refClass.
func (e *element) of(class string) *element {
	if e == nil {
		return nil
	}
	for i := range e.Children {
		if c := &e.Children[i]; c.XMLName.Local == "refClass" && strings.TrimSpace(c.Text) == class && i+1 < len(e.Children) {
			return &e.Children[i+1]
		}
	}
	return nil
}

// value returns the text of the value element.
func (e *element) value() string {
	v := e.child("value", "")
	if v == nil {
		return ""
	}
	return strings.TrimSpace(v.Text)
}

func (e *element) integer() (int, error) { return strconv.Atoi(e.value()) }

// class is the last part of a class path.
func (e *element) class() string {
	path := e.attr("classPath")
	return path[strings.LastIndexByte(path, '.')+1:]
}
