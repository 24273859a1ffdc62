package profiles

import (
	"net/url"
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
		if secretHeader(h.Name) && h.Value != "" {
			r.Headers[i] = Header{Name: h.Name, Value: redacted, Line: h.Name + ": " + redacted}
		}
	}
	return r
}

// withoutUser hides the user information of a URL that was checked before.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	u.User = url.User(redacted)
	return u.String()
}

// secretHeader judges by the name: the known ones, and those that say so.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "key", "signature", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
