package experiment

import (
	"testing"

	"edgebench/profiles"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	header := func(line, name string) profiles.Header { return profiles.Header{Name: name, Line: line} }
	for _, c := range []struct {
		name, origin  string
		request       profiles.Request
		address, want string
	}{
		{"get", "http://h:8080", profiles.Request{Method: "GET", Path: "/a?b=1"},
			"h:8080", "GET /a?b=1 HTTP/1.1\r\nHost: h:8080\r\nUser-Agent: loadgen\r\n\r\n"},
		{"default port", "http://h", profiles.Request{Method: "GET", Path: "/"},
			"h:80", "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: loadgen\r\n\r\n"},
		{"ipv6", "http://[::1]:81", profiles.Request{Method: "GET", Path: "/"},
			"[::1]:81", "GET / HTTP/1.1\r\nHost: [::1]:81\r\nUser-Agent: loadgen\r\n\r\n"},
		{"ipv6 zone", "http://[fe80::1%25lo]:81", profiles.Request{Method: "GET", Path: "/"},
			"[fe80::1%lo]:81", "GET / HTTP/1.1\r\nHost: [fe80::1]:81\r\nUser-Agent: loadgen\r\n\r\n"},
		{"https", "https://h", profiles.Request{Method: "GET", Path: "/"},
			"h:443", "GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: loadgen\r\n\r\n"},
		{"empty post announces its length", "http://h", profiles.Request{Method: "POST", Path: "/invoke"},
			"h:80", "POST /invoke HTTP/1.1\r\nHost: h\r\nUser-Agent: loadgen\r\nContent-Length: 0\r\n\r\n"},
		{"body", "http://h", profiles.Request{Method: "PUT", Path: "/", Body: "hé"},
			"h:80", "PUT / HTTP/1.1\r\nHost: h\r\nUser-Agent: loadgen\r\nContent-Length: 3\r\n\r\nhé"},
		{"userinfo is basic authorization", "http://me:p%40ss@h", profiles.Request{Method: "GET", Path: "/"},
			"h:80", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic bWU6cEBzcw==\r\nUser-Agent: loadgen\r\n\r\n"},
		{"headers as given, in order", "http://me:x@h", profiles.Request{Method: "GET", Path: "/", Headers: []profiles.Header{
			header("hOsT:other", "hOsT"), header("X-A:", "X-A"), header("X-A: 2", "X-A"),
			header("AUTHORIZATION: Bearer t", "AUTHORIZATION"), header("user-agent: me", "user-agent")}},
			"h:80", "GET / HTTP/1.1\r\nhOsT:other\r\nX-A:\r\nX-A: 2\r\nAUTHORIZATION: Bearer t\r\nuser-agent: me\r\n\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := resolve(c.origin, c.request)
			if err != nil {
				t.Fatal(err)
			}
			if got.address != c.address || string(got.request) != c.want {
				t.Errorf("address %q, request\n%q, want %q and\n%q", got.address, got.request, c.address, c.want)
			}
		})
	}
}
