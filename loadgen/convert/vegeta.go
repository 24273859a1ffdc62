package convert

import (
	"cmp"
	"encoding/base64"
	"io"
	"regexp"
	"slices"
	"strings"
)

var vegetaTarget = regexp.MustCompile(`^(?:\s*#[^\n]*\n|\s*\n)*\s*[A-Z]+ +https?://`)

func guessVegeta(head []byte) bool {
	keys := firstKeys(head)
	return vegetaTarget.Match(head) || slices.Contains(keys, "url") && slices.Contains(keys, "method")
}

// readVegeta reads targets as vegeta attack does, in its http or its json format
// (github.com/tsenart/vegeta, README, "-format").
func readVegeta(r io.Reader, d *draft) {
	text, ok := d.text(r)
	if !ok {
		return
	}
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\ufeff"), "{") {
		d.vegetaJSON(text)
	} else {
		d.vegetaHTTP(text)
	}
	d.told = "vegeta's own flags (-rate, -duration, -timeout, -header, …) are not in its targets."
}

// target is one in the making.
type target struct {
	at       position
	method   string
	url      string
	headers  []curlHeader
	body     string // text
	bodyFile string // in its place
	bodyAt   position
}

// request adds it to the draft.
func (t target) request(d *draft) {
	r := newRequest()
	origin, ok := d.target(t.at, t.url, &r)
	if !ok {
		return
	}
	r.Method = t.method
	for _, h := range t.headers {
		if made, ok := d.header(h.name, h.value); ok {
			r.Headers = append(r.Headers, made)
			if strings.EqualFold(h.name, "Authorization") {
				r.Auth.Basic = nil // one of the two; vegeta sends the header
			}
		} else {
			d.lost(h.at, "header "+clip(h.name), "it is written by the generator, to fit the body")
		}
	}
	switch {
	case t.bodyFile != "":
		r.Body.File = t.bodyFile
	default:
		r.Body = d.body(t.bodyAt, t.body)
	}
	d.add(call{at: t.at, origin: origin, request: r})
}

var requestLine = regexp.MustCompile(`^([A-Z][A-Z-]*) +(\S+)$`)

// vegetaHTTP reads lines: METHOD URL, then headers, then @body, up to a blank line
// or the next METHOD URL.
func (d *draft) vegetaHTTP(text string) {
	var now *target
	end := func() {
		if now != nil {
			now.request(d)
		}
		now = nil
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		at := position{n, 1 + len(line) - len(strings.TrimLeft(line, " \t"))}
		line = strings.TrimSpace(line)
		name, value, colon := strings.Cut(line, ":")
		m := requestLine.FindStringSubmatch(line)
		switch {
		case line == "":
			end()
		case strings.HasPrefix(line, "#"):
		case m != nil:
			end()
			now = &target{at: at, method: m[1], url: m[2]}
		case now == nil:
			d.fault(at, "%q: want a target such as GET http://host/path", clip(line))
		case strings.HasPrefix(line, "@"):
			now.bodyFile, now.bodyAt = strings.TrimSpace(line[1:]), at
			if now.bodyFile == "" {
				d.fault(at, "@ without the name of a file")
			}
		case !colon:
			d.fault(at, "%q: want a header such as Name: value, or @FILE for a body", clip(line))
		default:
			now.headers = append(now.headers, curlHeader{at, strings.TrimSpace(name), value})
		}
	}
	end()
}

// vegetaJSON reads an object a line: method, url, header {name: [values]}, body in
// base64.
func (d *draft) vegetaJSON(text string) {
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		root, err := tree(strings.TrimRight(line, "\r\n"), position{n, 1})
		switch {
		case err != nil:
			d.fault(root.at, "%v (one object a line is wanted)", err)
		case !root.object:
			d.fault(root.at, "want an object with method and url")
		default:
			d.vegetaObject(root)
		}
	}
}

func (d *draft) vegetaObject(root node) {
	faults := len(d.faults)
	text := func(name string) string {
		v, _ := root.field(name)
		s, ok := v.text()
		if !ok || s == "" {
			d.fault(cmp.Or(v.at, root.at), "%s: want text", name)
		}
		return s
	}
	t := target{at: root.at, method: text("method"), url: text("url")}
	for _, f := range root.fields {
		switch f.name {
		case "method", "url":
		case "header":
			for _, h := range f.fields {
				for _, v := range h.items {
					if s, ok := v.text(); ok {
						t.headers = append(t.headers, curlHeader{v.at, h.name, s})
						continue
					}
					d.fault(v.at, "header %s: want text", clip(h.name))
				}
				if !h.list {
					d.fault(h.at, "header %s: want a list of values", clip(h.name))
				}
			}
		case "body":
			t.bodyAt = f.at
			s, _ := f.text()
			data, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				d.fault(f.at, "body: not base64: %v", err)
			}
			t.body = string(data)
		default:
			d.lost(f.at, clip(f.name), "a target has method, url, header and body")
		}
	}
	if len(d.faults) == faults {
		t.request(d)
	}
}
