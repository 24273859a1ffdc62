package profiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, origin, path, err string
	}{
		{url: "http://h", origin: "http://h"},
		{url: "http://h/", origin: "http://h"},
		{url: "https://h:443/a/b?x=1&y=2", origin: "https://h:443", path: "/a/b?x=1&y=2"},
		{url: "http://[::1]:8080/", origin: "http://[::1]:8080"},
		{url: "http://[fe80::1%25eth0]/", origin: "http://[fe80::1%25eth0]"},
		{url: "http://us%40er:p%40ss@h/", origin: "http://us%40er:p%40ss@h"},
		{url: "http://h/a b?q=c d", origin: "http://h", path: "/a%20b?q=c%20d"},
		{url: "http://h/ä?ö", origin: "http://h", path: "/%C3%A4?%C3%B6"},
		{url: "http://h/a%2Fb", origin: "http://h", path: "/a%2Fb"},
		{url: "http://h?x", origin: "http://h", path: "/?x"},
		{url: "http://h/?", origin: "http://h", path: "/?"},
		{url: "h:8080", err: `"h:8080" has no scheme, write http://`},
		{url: "", err: "has no scheme"},
		{url: "HTTP://H", err: "in lower case"},
		{url: "ftp://h/", err: "the scheme is http or https"},
		{url: "http://", err: "has no host"},
		{url: "http:///path", err: "has no host"},
		{url: "http://:80/", err: "has no host"},
		{url: "http://h:0/", err: "port 0 is outside 1 to 65535"},
		{url: "http://h:70000/", err: "port 70000 is outside"},
		{url: "http://h:/", err: "empty port"},
		{url: "http://h:8o80/", err: "invalid port"},
		{url: "http://h h/", err: "invalid character"},
		{url: "http://[::1/", err: "missing ']'"},
		{url: "http://h/#part", err: "fragment"},
		{url: "http://user:secret@h:0/", err: `"http://redacted@h:0/"`},
		{url: "http://us er:secret@h/", err: "redacted@h"},
		{url: "http://user:secr%zzet@h/", err: "before the @ is malformed"},
		{url: "http://user:secr/zz@h/", err: "redacted@h"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			origin, path, err := splitURL(tt.url)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%q, %q, error %v; want %q", origin, path, err, tt.err)
				}
				if err != nil && (strings.Contains(err.Error(), "secr") || strings.Contains(err.Error(), "zz")) {
					t.Errorf("%v tells the secret", err)
				}
				return
			}
			if err != nil || origin != tt.origin || path != tt.path {
				t.Errorf("%q, %q, %v; want %q, %q", origin, path, err, tt.origin, tt.path)
			}
		})
	}
}

func TestPathAndURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, target, request string
		want, err             string
	}{
		{"bundled, no path", "{bundled: {}}", "{}", "/invoke", ""},
		{"bundled, a path", "{bundled: {}}", "{path: /x}", "/x", ""},
		{"url, no path", "{url: 'http://h'}", "{}", "/", ""},
		{"url with a path", "{url: 'http://h/a?b'}", "{}", "/a?b", ""},
		{"a path beside a bare url", "{url: 'http://h/'}", "{path: /x}", "/x", ""},
		{"both", "{url: 'http://h/a'}", "{path: /x}", "", "the target's url has a path too (/a)"},
		{"a fragment", "{bundled: {}}", "{path: '/x#y'}", "", "fragment"},
		{"a line end", "{bundled: {}}", `{path: "/x\r\nHost: evil"}`, "", "control character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("target: %s\nrequest: %s\nphases: [{name: a, rate: 1/s, for: 1s}]\n", tt.target, tt.request)
			p, err := Parse("p.yaml", []byte(text), nil)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.Request.Path != tt.want {
				t.Errorf("path %q, want %q", p.Request.Path, tt.want)
			}
		})
	}
}

func TestHeadersAreKeptAsGiven(t *testing.T) {
	t.Parallel()
	want := []Header{
		{"X-Tag", "a", "X-Tag: a"},
		{"x-tag", "b", "x-tag:b"},
		{"X-Empty", "", "X-Empty:"},
		{"X-Colon", "a:b: c", "X-Colon: a:b: c"},
		{"Host", "other.example", "Host: other.example"},
		{"X-Tag", "a", "X-Tag: a"},
	}
	lines := `["X-Tag: a", "x-tag:b", "X-Empty:", "X-Colon: a:b: c", "Host: other.example", "X-Tag: a"]`
	p, err := Parse("p.yaml", []byte(small+"request: {headers: "+lines+"}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, p.Request.Headers); diff != "" {
		t.Error(diff)
	}

	p, err = Parse("p.yaml", []byte(small+"request: {headers: {B: 1, a: '', C: , D: true}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want = []Header{{"B", "1", "B: 1"}, {"a", "", "a:"}, {"C", "", "C:"}, {"D", "true", "D: true"}}
	if diff := cmp.Diff(want, p.Request.Headers); diff != "" {
		t.Error(diff)
	}
}

func TestRedacted(t *testing.T) {
	t.Parallel()
	text := "target: {url: 'http://user:hunter2@h/'}\n" +
		"request: {headers: ['Authorization: Bearer hunter2', 'X-Api-Key: hunter2', 'X-Tag: a']}\n" +
		"phases: [{name: a, rate: 1/s, for: 1s}]\n"
	p, err := Parse("p.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := string(p.Redacted().YAML())
	if strings.Contains(shown, "hunter2") || !strings.Contains(shown, "X-Tag: a") {
		t.Errorf("redacted:\n%s", shown)
	}
	if !strings.Contains(string(p.YAML()), "hunter2") {
		t.Error("redacting changed the profile itself")
	}
	if _, err := Parse("p.yaml", []byte(shown), nil); err != nil {
		t.Errorf("the redacted profile does not parse: %v", err)
	}
	other, err := Parse("p.yaml", []byte(strings.ReplaceAll(text, "hunter2", "other")), nil)
	if err != nil || p.Hash() != other.Hash() {
		t.Errorf("the hash depends on a secret (%v)", err)
	}
}
