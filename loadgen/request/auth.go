package request

import (
	"encoding/base64"
	"net/http"
	"strings"

	"edgebench/profiles"
)

// secret is a text with its variables from the environment.
func (b *builder) secret(key, text string) string {
	all, err := profiles.ParseTemplate(profiles.Literal(text, false), true)
	if err != nil {
		b.fault(key, "%w", err)
	}
	var out strings.Builder
	for _, p := range all {
		out.WriteString(p.Text)
		if p.Place == profiles.SecretPlace {
			out.WriteString(b.variable(key, p.Name))
		}
	}
	return out.String()
}

// variable is one of the environment, fit for a header.
func (b *builder) variable(key, name string) string {
	value, ok := b.Env(name)
	switch {
	case !ok || value == "":
		b.fault(key, "the environment variable %s is not set", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		b.fault(key, "the environment variable %s has a control character (a line end?)", name)
	}
	return value
}

// authorization is the header line of a scheme that needs no signature; the
// url's user information is basic, too.
func (b *builder) authorization(a profiles.Auth) string {
	basic := func(user, password string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)) + "\r\n"
	}
	switch {
	case a.Basic != nil:
		user := b.secret("auth.basic.user", a.Basic.User)
		if strings.Contains(user, ":") {
			b.fault("auth.basic.user", "has a colon, which basic authorization cannot carry (RFC 7617, 2)")
		}
		return basic(user, b.secret("auth.basic.password", a.Basic.Password))
	case a.Bearer != "":
		return "Authorization: Bearer " + b.secret("auth.bearer", a.Bearer) + "\r\n"
	case a.SigV4 != nil:
		return ""
	case b.origin.User != nil:
		password, _ := b.origin.User.Password()
		return basic(b.origin.User.Username(), password)
	}
	return ""
}

// headersOf reads the header lines of a request's head.
func headersOf(head string) (method, target string, h http.Header) {
	h = http.Header{}
	first, rest, _ := strings.Cut(head, "\r\n")
	method, first, _ = strings.Cut(first, " ")
	target, _, _ = strings.Cut(first, " ")
	for line := range strings.SplitSeq(rest, "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			h.Add(name, strings.Trim(value, " \t"))
		}
	}
	return method, target, h
}
