package experiment

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strings"

	"edgebench/profiles"
)

// An endpoint is where requests go and the bytes they are made of.
type endpoint struct {
	origin  string // scheme://…, as in the profile
	address string // host:port to connect to
	request []byte // the whole request, written as it is every time
	head    bool   // responses have no body
}

// resolve makes the endpoint of origin (scheme://[userinfo@]host[:port]) for the
// request of a profile, whose path is encoded and final.
func resolve(origin string, r profiles.Request) (endpoint, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return endpoint{}, marked{fmt.Errorf("target url: %w", err), ErrUsage}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return endpoint{
		origin:  origin,
		address: net.JoinHostPort(u.Hostname(), port),
		request: requestBytes(r, u),
		head:    r.Method == "HEAD",
	}, nil
}

// requestBytes writes the profile's headers as given, in their order and case;
// Host, Authorization and User-Agent are added only where it names none.
func requestBytes(r profiles.Request, u *url.URL) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.Method, r.Path)
	given := make(map[string]bool, len(r.Headers))
	for _, h := range r.Headers {
		given[strings.ToLower(h.Name)] = true
	}
	if !given["host"] {
		fmt.Fprintf(&b, "Host: %s\r\n", hostHeader(u.Host))
	}
	if u.User != nil && !given["authorization"] {
		password, _ := u.User.Password()
		pair := u.User.Username() + ":" + password
		fmt.Fprintf(&b, "Authorization: Basic %s\r\n", base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	for _, h := range r.Headers {
		b.WriteString(h.Line + "\r\n")
	}
	if !given["user-agent"] {
		b.WriteString("User-Agent: loadgen\r\n")
	}
	if hasLength(r) {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n")
	b.WriteString(r.Body)
	return b.Bytes()
}

// hasLength: methods with a defined body announce even an empty one (RFC 9110, 8.6).
func hasLength(r profiles.Request) bool {
	switch r.Method {
	case "POST", "PUT", "PATCH":
		return true
	}
	return len(r.Body) > 0
}

// hostHeader is a URL's host without the zone of an IPv6 address, which means
// nothing outside this machine (RFC 6874, 4).
func hostHeader(host string) string {
	before, rest, ok := strings.Cut(host, "%")
	_, after, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return host
	}
	return before + "]" + after
}
