package profiles

import (
	"regexp"
	"strings"
	"time"

	"edgebench/profiles/arrival"
)

var methodName = regexp.MustCompile(`^[A-Z][A-Z-]{0,31}$`)

var defaultCounter = Counter{Start: 0, Step: 1}

func defaultRequest() Request {
	return Request{Method: "GET", Timeout: 10 * time.Second, Counter: defaultCounter}
}

// request reads the keys of a request over what dst has already; its path, where
// there is one, is the answer.
func (d *decoder) request(profile *object, dst *Request) (path located) {
	v, ok := profile.field("request")
	if !ok {
		return located{}
	}
	o, ok := v.object()
	if !ok {
		return located{}
	}
	if v, ok := o.field("method"); ok && v.text(&dst.Method) && !methodName.MatchString(dst.Method) {
		v.fault("%q is not a method, write for example GET or POST", clip(dst.Method))
	}
	if v, ok := o.field("path"); ok {
		path = d.path(v)
	}
	if v, ok := o.field("headers"); ok {
		dst.Headers = d.headers(v)
	}
	if v, ok := o.field("body"); ok {
		d.body(v, &dst.Body)
	}
	d.exchange(o, dst)
	o.duration("timeout", &dst.Timeout, 1, arrival.MaxLength)
	o.close()
	return path
}

// path reads a path with or without a query.
func (d *decoder) path(v value) located {
	var text string
	if !v.line(&text) {
		return located{}
	}
	switch {
	case !strings.HasPrefix(text, "/"):
		v.fault("%q does not begin with /", clip(text))
	case strings.Contains(text, "#"):
		v.fault("%q has a fragment (#), which is never sent: write %%23 for the character", clip(text))
	default:
		v.template(text, true)
		return located{value: v, text: EncodePath(text)}
	}
	return located{}
}

// EncodePath encodes the bytes that a request line cannot hold, space among them,
// and leaves everything else as given.
func EncodePath(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
