package convert

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"edgebench/profiles"
)

// finish makes requests of what was said, one for each URL.
func (c *curlLine) finish() {
	if len(c.urls) == 0 {
		c.d.fault(position{}, "a curl command line without a url")
		return
	}
	for _, w := range c.urls {
		r := newRequest()
		body, contentType := c.body(&r)
		target := c.target(w, body)
		origin, ok := c.d.target(w.at, target, &r)
		if !ok {
			continue
		}
		if c.aim != nil {
			r.Path = c.d.path(c.aim.text)
		}
		host := strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://")
		r.Method = c.chosenMethod(r.Body != (profiles.Body{}))
		c.authorize(&r, host)
		c.setHeaders(&r, contentType)
		if c.timeout != nil {
			if t, ok := c.seconds(*c.timeout); ok && t > 0 {
				r.Timeout = t
			}
		}
		c.d.add(call{at: w.at, origin: origin, way: c.reached(host, strings.HasPrefix(origin, "https:")), request: r})
	}
}

func (c *curlLine) chosenMethod(hasBody bool) string {
	switch {
	case c.verb != "":
		return c.verb
	case c.wantsHead:
		return "HEAD"
	case c.wantsGet:
		return "GET"
	case c.file != nil:
		return "PUT"
	case hasBody || len(c.parts) > 0 || c.isForm:
		return "POST"
	}
	return "GET"
}

// target is a url with the query that flags add to it.
func (c *curlLine) target(w word, data string) string {
	text := w.text
	if !c.globbed && globs.MatchString(text) {
		c.d.fault(w.at, "%s: curl makes several urls of {…} and […]: write them out, or give -g if it is to stay as it is", clip(globs.FindString(text)))
	}
	text, _, _ = strings.Cut(text, "#")
	if !c.dots {
		text = squashed(text)
	}
	query := c.query
	if c.wantsGet && data != "" {
		query = append([]string{data}, query...)
	}
	if c.file != nil && strings.HasSuffix(text, "/") {
		text += c.file.text[strings.LastIndexByte(c.file.text, '/')+1:]
	}
	for _, q := range query {
		mark := "?"
		if strings.Contains(text, "?") {
			mark = "&"
		}
		text += mark + q
	}
	return text
}

// globs are what curl expands; an IPv6 address in brackets is none.
var globs = regexp.MustCompile(`\{[^{}]*\}|\[[^\]:]*-[^\]]*\]`)

// squashed has no . and .. in its path (RFC 3986, 5.2.4).
func squashed(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "", text
	}
	beforeQuery, query, hasQuery := strings.Cut(rest, "?")
	authority, path, hasPath := strings.Cut(beforeQuery, "/")
	if !hasPath || !strings.Contains("/"+path, "/.") {
		return text
	}
	var kept []string
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "..":
			kept = kept[:max(0, len(kept)-1)]
		case s != ".":
			kept = append(kept, s)
			continue
		}
		if last {
			kept = append(kept, "")
		}
	}
	text = authority + "/" + strings.Join(kept, "/")
	if found {
		text = scheme + "://" + text
	}
	if hasQuery {
		text += "?" + query
	}
	return text
}

// body sets the body, and tells its text and its type.
func (c *curlLine) body(r *profiles.Request) (text, contentType string) {
	var whole []string
	var files []curlData
	for _, p := range c.parts {
		if p.file != "" {
			files = append(files, p)
			continue
		}
		whole = append(whole, p.text)
	}
	contentType, between := "application/x-www-form-urlencoded", "&"
	if c.wantsJSON {
		contentType, between = "application/json", ""
	}
	text = strings.Join(whole, between)
	switch {
	case c.isForm:
		r.Body = c.d.body(c.urls[0].at, c.withoutVariables(c.multipart()))
		return "", "multipart/form-data; boundary=" + boundary
	case c.file != nil:
		r.Body = c.fileBody(c.file.at, shown(c.file.text))
		return "", ""
	case len(c.parts) == 0:
		return "", ""
	case c.wantsGet || c.wantsHead:
		for _, f := range files {
			c.d.lost(f.at, "@"+clip(f.file), "what is in that file is not known here, and it would be part of the url")
		}
		return text, ""
	case len(files) > 0 && len(c.parts) > 1:
		for _, f := range files {
			c.d.lost(f.at, "@"+clip(f.file), "a body is a file or a text: what is in the file is not known here")
		}
	case len(files) > 0:
		r.Body = c.fileBody(files[0].at, files[0].file)
		if !files[0].raw {
			c.d.note(files[0].at, "-d @%s: curl takes line ends out of the file, loadgen sends it as it is, as --data-binary does", clip(files[0].file))
		}
		return "", contentType
	}
	r.Body = c.d.body(c.parts[0].at, c.withoutVariables(text))
	return text, contentType
}

func (c *curlLine) fileBody(at position, name string) profiles.Body {
	if name == "-" || name == "." || name == "" {
		c.d.fault(at, "the body comes from standard input: put it into a file, and name that")
		return profiles.Body{}
	}
	return profiles.Body{File: name}
}

// withoutVariables is text for a body, which takes nothing from the environment.
func (c *curlLine) withoutVariables(text string) string {
	if hasVariable(text) {
		c.d.lost(c.urls[0].at, "variables of the shell in the body", "a body takes nothing from the environment, so their names stand there: write the values, or put the body into a file")
	}
	return shown(text)
}

// authorize takes the account of -u, which wins over the url's.
func (c *curlLine) authorize(r *profiles.Request, host string) {
	switch {
	case c.signature != nil:
		c.signed(r, host)
	case c.account != nil:
		user, password, _ := strings.Cut(c.account.text, ":")
		r.Auth = profiles.Auth{}
		c.d.basic(r, user, password)
	}
}

// setHeaders writes those of curl's own, unless taken away, and those given.
func (c *curlLine) setHeaders(r *profiles.Request, contentType string) {
	all := []curlHeader{{name: "Accept", value: "*/*"}, {name: "Content-Type", value: contentType}}
	if c.wantsJSON {
		all[0].value = "application/json"
	}
	if len(c.cookies) > 0 {
		all = append(all, curlHeader{c.cookieAt, "Cookie", strings.Join(c.cookies, ";")})
	}
	given := map[string]bool{}
	for _, h := range c.headers {
		given[strings.ToLower(h.name)] = true
	}
	if given["authorization"] {
		r.Auth.Basic = nil // as for curl: what is given counts
	}
	for _, h := range all {
		if low := strings.ToLower(h.name); h.value != "" && !c.removed[low] && !given[low] {
			c.addHeader(r, h)
		}
	}
	for _, h := range c.headers {
		c.addHeader(r, h)
	}
	for _, name := range []string{"Host", "User-Agent"} {
		if c.removed[strings.ToLower(name)] && !given[strings.ToLower(name)] {
			c.d.lost(position{}, "-H "+name+":", "loadgen always sends it")
		}
	}
}

func (c *curlLine) addHeader(r *profiles.Request, h curlHeader) {
	if made, ok := c.d.header(h.name, h.value); ok {
		r.Headers = append(r.Headers, made)
	} else {
		c.d.lost(h.at, "-H "+clip(h.name), "it is written by the generator, to fit the body")
	}
}

// drop takes a header back that a later flag says anew.
func (c *curlLine) drop(name string) {
	for i, h := range c.headers {
		if h.name == name {
			c.headers = append(c.headers[:i], c.headers[i+1:]...)
			return
		}
	}
}

// reached is the way to a host, as far as --resolve and --connect-to are about it.
func (c *curlLine) reached(host string, secure bool) profiles.Way {
	way := c.way
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), map[bool]string{true: "443", false: "80"}[secure])
	}
	if !secure && way.TLS != (profiles.TLS{}) {
		way.TLS = profiles.TLS{}
		c.d.lost(c.urls[0].at, "-k, --cacert, --cert and --key", "the url is not https")
	}
	if way.TLS.Insecure {
		way.TLS.CA = "" // not looked at
	}
	for _, w := range c.resolves {
		name, addresses, ok := resolveEntry(shown(w.text))
		if !ok || name != host && name != "*"+host[strings.LastIndexByte(host, ':'):] {
			c.d.lost(w.at, "--resolve "+clip(w.text), "it is not about "+host)
			continue
		}
		way.Resolve = addresses
	}
	for _, w := range c.connects {
		from, to, ok := connectEntry(shown(w.text), host)
		if !ok || from != host {
			c.d.lost(w.at, "--connect-to "+clip(w.text), "it is not about "+host)
			continue
		}
		way.ConnectTo = to
	}
	if c.proxyAccount != nil {
		c.d.lost(c.proxyAccount.at, "the account of the proxy", "it would stand in the profile: write proxy: http://user:password@host:port yourself")
	}
	return way
}

// resolveEntry is HOST:PORT:ADDRESS,… with a + in front or not.
func resolveEntry(text string) (host string, addresses []string, ok bool) {
	name, rest, ok := strings.Cut(strings.TrimPrefix(text, "+"), ":")
	port, list, more := strings.Cut(rest, ":")
	if !ok || !more {
		return "", nil, false
	}
	for a := range strings.SplitSeq(list, ",") {
		addresses = append(addresses, strings.Trim(a, "[]"))
	}
	return net.JoinHostPort(name, port), addresses, true
}

var connectPattern = regexp.MustCompile(`^(\[[^\]]*\]|[^:]*):(\d*):(\[[^\]]*\]|[^:]*):(\d*)$`)

// connectEntry is HOST1:PORT1:HOST2:PORT2; what is empty is any, or as it was.
func connectEntry(text, host string) (from, to string, ok bool) {
	m := connectPattern.FindStringSubmatch(text)
	name, port, err := net.SplitHostPort(host)
	if m == nil || err != nil {
		return "", "", false
	}
	or := func(text, other string) string {
		if text = strings.Trim(text, "[]"); text == "" {
			return other
		}
		return text
	}
	return net.JoinHostPort(or(m[1], name), or(m[2], port)), net.JoinHostPort(or(m[3], name), or(m[4], port)), true
}

// seconds is a time as curl has it, with a fraction.
func (c *curlLine) seconds(w word) (time.Duration, bool) {
	s, err := strconv.ParseFloat(shown(w.text), 64)
	if err != nil || !(s >= 0 && s < 1e8) {
		c.d.fault(w.at, "%q is no number of seconds", clip(w.text))
		return 0, false
	}
	d, err := time.ParseDuration(fmt.Sprintf("%.9fs", s))
	return d, err == nil
}
