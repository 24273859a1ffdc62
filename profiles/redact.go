package profiles

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted stands for a secret wherever a profile is shown or stored.
const redacted = "redacted"

// Redacted is a copy without userinfo in the URL and without the values of
// headers that carry credentials. It is a valid profile.
func (p *Profile) Redacted() *Profile {
	q := *p
	q.Target.URL = withoutUser(p.Target.URL)
	q.Target.Way.Proxy = withoutUser(p.Target.Way.Proxy)
	q.Request = p.Request.redacted()
	q.Functions = slices.Clone(p.Functions)
	for i := range q.Functions {
		q.Functions[i].Request = q.Functions[i].Request.redacted()
	}
	return &q
}

func (r Request) redacted() Request {
	r.Headers = slices.Clone(r.Headers)
	for i, h := range r.Headers {
		if SecretHeader(h.Name) && h.Value != "" && !named(h.Value) {
			r.Headers[i] = Header{Name: h.Name, Value: redacted, Line: h.Name + ": " + redacted}
		}
	}
	r.Path = ReplaceSecrets(r.Path, func(_, secret string) string {
		if named(secret) {
			return secret
		}
		return redacted
	})
	r.Auth = r.Auth.redacted()
	return r
}

func (a Auth) redacted() Auth {
	hide := func(text *string) {
		if *text != "" && !named(*text) {
			*text = redacted
		}
	}
	hide(&a.Bearer)
	if a.Basic != nil {
		b := *a.Basic
		hide(&b.User)
		hide(&b.Password)
		a.Basic = &b
	}
	if a.SigV4 != nil {
		s := *a.SigV4
		hide(&s.AccessKey)
		hide(&s.SecretKey)
		hide(&s.SessionToken)
		a.SigV4 = &s
	}
	return a
}

// nameOnly is a secret that is only named: it is elsewhere.
var nameOnly = regexp.MustCompile(`^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

func named(value string) bool { return nameOnly.MatchString(value) }

// secretQuery finds parameters of a query that carry credentials.
var secretQuery = regexp.MustCompile(`(?i)([?&][^=&]*(?:token|secret|password|passwd|signature|credential|api[_-]?key|access[_-]?key)[^=&]*=)[^&]+`)

// ReplaceSecrets gives the parameters of a query that carry credentials another
// value. path is one with or without a query, key the parameter's name.
func ReplaceSecrets(path string, value func(key, secret string) string) string {
	return secretQuery.ReplaceAllStringFunc(path, func(parameter string) string {
		key, secret, _ := strings.Cut(parameter, "=")
		return key + "=" + value(key[1:], secret)
	})
}

// RedactArgument is an argument of a command line as it may be shown: without
// user information in URLs, and without what may be a secret in the value of a
// key.
func RedactArgument(arg string) string {
	scheme, rest, found := strings.Cut(arg, "://")
	if found {
		authority, path, slash := strings.Cut(rest, "/")
		if at := strings.LastIndex(authority, "@"); at >= 0 {
			arg = scheme + "://" + redacted + "@" + authority[at+1:]
			if slash {
				arg += "/" + path
			}
		}
		arg = secretQuery.ReplaceAllString(arg, "${1}"+redacted)
	}
	key, val, found := strings.Cut(arg, "=")
	if strings.Contains(key, "://") || !found || named(val) || strings.HasSuffix(key, "target.tls.key") {
		return arg
	}
	if secretArgument.MatchString(key) || secretArgument.MatchString(val) && !strings.Contains(val, "://") {
		return key + "=" + redacted
	}
	return arg
}

// secretArgument is what keys, header lines and mappings with credentials have
// in them.
var secretArgument = regexp.MustCompile(`(?i)auth|cookie|token|secret|password|bearer|api[_-]?key|access[_-]?key|credential`)

// withoutUser hides the user information of a URL that was checked before.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	u.User = url.User(redacted)
	return u.String()
}

// SecretHeader reports whether a header carries credentials. It judges by the
// name: the known ones, and those that say so.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "key", "signature", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
