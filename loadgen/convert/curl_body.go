package convert

import (
	"net/url"
	"regexp"
	"strings"
)

// A curlData is one part of a body: curl joins them by &.
type curlData struct {
	at   position
	text string
	file string // in place of text
	raw  bool   // the file is sent as it is; else curl takes its line ends out
}

// A curlField is a field of a multipart form.
type curlField struct{ name, value string }

func (c *curlLine) data(w word, _ bool)       { c.addData(w, false) }
func (c *curlLine) dataBinary(w word, _ bool) { c.addData(w, true) }
func (c *curlLine) dataRaw(w word, _ bool) {
	c.parts = append(c.parts, curlData{at: w.at, text: w.text})
}

func (c *curlLine) addData(w word, raw bool) {
	if name, ok := strings.CutPrefix(w.text, "@"); ok {
		c.parts = append(c.parts, curlData{at: w.at, file: shown(name), raw: raw})
		return
	}
	c.parts = append(c.parts, curlData{at: w.at, text: w.text})
}

func (c *curlLine) json(w word, _ bool) {
	c.wantsJSON = true
	c.addData(w, true)
}

// dataEncoded is content, =content, name=content, @file or name@file.
func (c *curlLine) dataEncoded(w word, _ bool) {
	if text, ok := c.encoded("--data-urlencode", w); ok {
		c.parts = append(c.parts, curlData{at: w.at, text: text})
	}
}

// urlQuery is as dataEncoded, or as it is behind a +.
func (c *curlLine) urlQuery(w word, _ bool) {
	if text, ok := strings.CutPrefix(w.text, "+"); ok {
		c.query = append(c.query, text)
	} else if text, ok := c.encoded("--url-query", w); ok {
		c.query = append(c.query, text)
	}
}

func (c *curlLine) encoded(flag string, w word) (string, bool) {
	i := strings.IndexAny(w.text, "=@")
	switch {
	case i < 0:
		return curlEscape(w.text), true
	case w.text[i] == '@':
		c.d.lost(w.at, flag+" "+clip(w.text), "what is in that file is not known here")
		return "", false
	case i == 0:
		return curlEscape(w.text[1:]), true
	}
	return w.text[:i+1] + curlEscape(w.text[i+1:]), true
}

// curlEscape encodes as a form does, as curl since 7.88; a shell's variables are
// left alone.
func curlEscape(text string) string {
	pieces := strings.Split(text, variableMark)
	for i := range pieces {
		if i%2 == 0 {
			pieces[i] = url.QueryEscape(pieces[i])
		}
	}
	return strings.Join(pieces, variableMark)
}

func (c *curlLine) formString(w word, _ bool) { c.field(w, true) }
func (c *curlLine) form(w word, _ bool)       { c.field(w, false) }

func (c *curlLine) field(w word, literal bool) {
	name, value, found := strings.Cut(w.text, "=")
	switch {
	case !found:
		c.d.fault(w.at, "%q is no field of a form: want NAME=CONTENT", clip(w.text))
	case !literal && (strings.HasPrefix(value, "@") || strings.HasPrefix(value, "<")):
		c.d.lost(w.at, "-F "+clip(w.text), "what is in that file is not known here; a whole body can be a file: body: {file: …}")
	case !literal && fieldOption.MatchString(value):
		c.d.lost(w.at, fieldOption.FindString(value), "a part's own type is not written")
		c.fields = append(c.fields, curlField{name, fieldOption.ReplaceAllString(value, "")})
	default:
		c.fields = append(c.fields, curlField{name, value})
	}
	c.isForm = true
}

var fieldOption = regexp.MustCompile(`;(type|filename|headers|encoder)=.*$`)

// boundary between the parts of a form; curl draws one for each request.
const boundary = "------------------------loadgen0f5d1c94a7b3"

// multipart is the form as a body (RFC 7578).
func (c *curlLine) multipart() string {
	quote := strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")
	var b strings.Builder
	for _, f := range c.fields {
		b.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + quote.Replace(f.name) + "\"\r\n\r\n" + f.value + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return b.String()
}
