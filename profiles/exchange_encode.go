package profiles

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// treeOver writes a request whose keys are read over those of base: what base
// has and r has not is written as nothing.
func (r Request) treeOver(base Request) *yaml.Node {
	n := tree("method", word(r.Method), "path", quoted(r.Path))
	if len(r.Headers)+len(base.Headers) > 0 {
		list := sequence()
		for _, h := range r.Headers {
			list.Content = append(list.Content, quoted(h.Line))
		}
		if len(r.Headers) == 0 {
			flow(list)
		}
		add(n, "headers", list)
	}
	if r.Body != (Body{}) || base.Body != (Body{}) {
		add(n, "body", r.Body.tree())
	}
	if r.CSV.File != "" {
		c := flow(tree("file", quoted(r.CSV.File)))
		if r.CSV.Shuffle {
			add(c, "order", word("shuffle"))
		}
		add(n, "csv", c)
	}
	if r.Counter != defaultCounter || base.Counter != defaultCounter {
		add(n, "counter", flow(tree("start", number(strconv.FormatInt(r.Counter.Start, 10)), "step", number(strconv.FormatInt(r.Counter.Step, 10)))))
	}
	if r.Auth != (Auth{}) || base.Auth != (Auth{}) {
		add(n, "auth", r.Auth.tree())
	}
	if !r.Expect.isZero() || !base.Expect.isZero() {
		add(n, "expect", r.Expect.tree())
	}
	add(n, "timeout", word(formatDuration(r.Timeout)))
	return n
}

func (b Body) tree() *yaml.Node {
	switch {
	case b.File != "":
		n := flow(tree("file", quoted(b.File)))
		if b.Template {
			add(n, "template", number("true"))
		}
		return n
	case b.Base64 != "":
		return flow(tree("base64", quoted(b.Base64)))
	}
	return quoted(b.Text)
}

func (a Auth) tree() *yaml.Node {
	switch {
	case a.Basic != nil:
		return flow(tree("basic", tree("user", quoted(a.Basic.User), "password", quoted(a.Basic.Password))))
	case a.Bearer != "":
		return flow(tree("bearer", quoted(a.Bearer)))
	case a.SigV4 != nil:
		s := a.SigV4
		n := tree("service", quoted(s.Service), "region", quoted(s.Region), "access_key", quoted(s.AccessKey), "secret_key", quoted(s.SecretKey))
		if s.SessionToken != "" {
			add(n, "session_token", quoted(s.SessionToken))
		}
		return flow(tree("sigv4", n))
	}
	return word("none")
}

func (e Expect) isZero() bool { return len(e.Status) == 0 && !e.Checks() && e.MaxBody == 0 }

func (e Expect) tree() *yaml.Node {
	n := flow(tree())
	if len(e.Status) > 0 {
		list := sequence()
		for _, s := range e.Status {
			list.Content = append(list.Content, word(s.String()))
		}
		add(n, "status", list)
	}
	if e.Checks() {
		b := tree()
		if e.Contains != "" {
			add(b, "contains", quoted(e.Contains))
		}
		if e.Matches != "" {
			add(b, "matches", quoted(e.Matches))
		}
		if len(e.JSON) > 0 {
			fields := tree()
			for _, f := range e.JSON {
				fields.Content = append(fields.Content, quoted(f.Path), f.tree())
			}
			add(b, "json", fields)
		}
		add(n, "body", b)
	}
	if e.MaxBody > 0 {
		add(n, "max_body", word(formatSize(e.MaxBody)))
	}
	return n
}

// String is the status as parseStatus reads it.
func (s Status) String() string {
	switch {
	case s.From == s.To:
		return strconv.Itoa(s.From)
	case s.From%100 == 0 && s.To == s.From+99:
		return strconv.Itoa(s.From/100) + "xx"
	}
	return strconv.Itoa(s.From) + "-" + strconv.Itoa(s.To)
}

func (f Field) tree() *yaml.Node {
	if strings.HasPrefix(f.Value, `"`) {
		if text, err := strconv.Unquote(f.Value); err == nil {
			return quoted(text)
		}
	}
	return number(f.Value)
}
