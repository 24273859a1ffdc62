package request

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"edgebench/loadgen/transport"
	"edgebench/profiles"
)

// parse reads the request of a profile with the given keys, in YAML.
func parse(t testing.TB, request string) profiles.Request {
	t.Helper()
	text := "target: {url: 'http://h'}\nrequest: " + request + "\nphases: [{name: a, rate: 1/s, for: 1s}]\n"
	p, err := profiles.Parse("p.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Request
}

// config is one with files and variables of its own.
func config(origin string, requests ...profiles.Request) Config {
	files := map[string]string{
		"rows.csv":   "id,name,a b\n1,ann,x y\n2,\"bob, \"\"b\"\"\",z\n3,c\u00e9,w\n",
		"body.bin":   "\x00{{index}}\xff",
		"empty.csv":  "",
		"names.csv":  "id,name\n",
		"ragged.csv": "id,name\n1,2\n3\n",
		"quote.csv":  "id,name\n1,\"2\n",
		"twice.csv":  "id,id\n1,2\n",
		"lines.csv":  "id,name\n1,a\n2,\"b\nX: y\"\n",
	}
	variables := map[string]string{"TOKEN": "hunter2", "SPLIT": "hunter2\r\nX: y", "NONE": ""}
	return Config{
		Requests: requests, Origin: origin, Seed: 7, Now: time.Now,
		Read: func(name string, _ int64) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		Env: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
	}
}

// made is the text of request index of function 0.
func made(t testing.TB, c Config, index uint64) string {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(s.Sources().Request(transport.Ticket{Index: index}).Bytes)
}

func TestStaticRequests(t *testing.T) {
	t.Parallel()
	const agent = "User-Agent: loadgen\r\n"
	for _, c := range []struct{ name, origin, request, address, want string }{
		{"get", "http://h:8080", "{path: '/a?b=1'}", "h:8080", "GET /a?b=1 HTTP/1.1\r\nHost: h:8080\r\n" + agent + "\r\n"},
		{"default port", "http://h", "{}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\n" + agent + "\r\n"},
		{"https", "https://h", "{}", "h:443", "GET / HTTP/1.1\r\nHost: h\r\n" + agent + "\r\n"},
		{"ipv6", "http://[::1]:81", "{}", "[::1]:81", "GET / HTTP/1.1\r\nHost: [::1]:81\r\n" + agent + "\r\n"},
		{"ipv6 zone", "http://[fe80::1%25lo]:81", "{}", "[fe80::1%lo]:81", "GET / HTTP/1.1\r\nHost: [fe80::1]:81\r\n" + agent + "\r\n"},
		{"empty post announces its length", "http://h", "{method: POST}", "h:80", "POST / HTTP/1.1\r\nHost: h\r\n" + agent + "Content-Length: 0\r\n\r\n"},
		{"body", "http://h", "{method: PUT, body: h\u00e9}", "h:80", "PUT / HTTP/1.1\r\nHost: h\r\n" + agent + "Content-Length: 3\r\n\r\nh\u00e9"},
		{"body of a file, as it is", "http://h", "{method: PUT, body: {file: body.bin}}", "h:80", "PUT / HTTP/1.1\r\nHost: h\r\n" + agent + "Content-Length: 11\r\n\r\n\x00{{index}}\xff"},
		{"body in base64", "http://h", "{body: {base64: AP8=}}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\n" + agent + "Content-Length: 2\r\n\r\n\x00\xff"},
		{"userinfo is basic authorization", "http://me:p%40ss@h", "{}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic bWU6cEBzcw==\r\n" + agent + "\r\n"},
		{"basic", "http://h", "{auth: {basic: {user: me, password: '${TOKEN}'}}}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic bWU6aHVudGVyMg==\r\n" + agent + "\r\n"},
		{"bearer", "http://h", "{auth: {bearer: 'x${TOKEN}'}}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer xhunter2\r\n" + agent + "\r\n"},
		{"variable in a header", "http://h", "{headers: ['A: ${TOKEN}', 'B: $${TOKEN}']}", "h:80", "GET / HTTP/1.1\r\nHost: h\r\nA: hunter2\r\nB: ${TOKEN}\r\n" + agent + "\r\n"},
		{"C40 headers as given, in order", "http://me:x@h", "{headers: ['hOsT:other', 'X-A:', 'X-A: 2', 'AUTHORIZATION: Bearer t', 'user-agent: me', 'Expect: 100-continue']}", "h:80",
			"GET / HTTP/1.1\r\nhOsT:other\r\nX-A:\r\nX-A: 2\r\nAUTHORIZATION: Bearer t\r\nuser-agent: me\r\nExpect: 100-continue\r\n\r\n"},
		{"braces", "http://h", "{path: '/{{{{index}}', body: '{{{{a}}'}", "h:80", "GET /{{index}} HTTP/1.1\r\nHost: h\r\n" + agent + "Content-Length: 5\r\n\r\n{{a}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := Compile(config(c.origin, parse(t, c.request)))
			if err != nil {
				t.Fatal(err)
			}
			r := s.Sources().Request(transport.Ticket{Index: 3})
			if s.Address != c.address || string(r.Bytes) != c.want || !r.Lasting {
				t.Errorf("address %q, lasting %t, request\n%q, want %q and\n%q", s.Address, r.Lasting, r.Bytes, c.address, c.want)
			}
		})
	}
	c := config("http://h", parse(t, "{}"))
	c.OneRequest = true
	if got := made(t, c, 0); !strings.Contains(got, "\r\nConnection: close\r\n") {
		t.Errorf("the server is not told that the connection closes: %q", got)
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	c := config("http://h", parse(t, "{method: POST, path: '/{{csv.a b}}?i={{index}}', counter: {start: -4, step: 3},"+
		"headers: ['X-N: {{csv.name}}'], csv: rows.csv, body: 'n={{counter}} {{csv.name}}'}"))
	for index, want := range map[uint64][3]string{
		0: {"/x%20y?i=0 ", "X-N: ann\r\n", "Content-Length: 8\r\n\r\nn=-4 ann"},
		1: {"/z?i=1 ", "X-N: bob, \"b\"\r\n", "Content-Length: 13\r\n\r\nn=-1 bob, \"b\""},
		5: {"/w?i=5 ", "X-N: c\u00e9\r\n", "Content-Length: 8\r\n\r\nn=11 c\u00e9"},
	} {
		got := made(t, c, index)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("request %d is %q, want %q in it", index, got, part)
			}
		}
	}
}

// What a request holds follows from the seed and its index, whoever makes it and
// when; other indices and seeds have others.
func TestRandomIsSeeded(t *testing.T) {
	t.Parallel()
	c := config("http://h", parse(t, "{path: '/{{random.8}}/{{uuid}}', body: '{{random.3}}', csv: {file: rows.csv, order: shuffle}, headers: ['A: {{csv.id}}']}"))
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	forward, backward := s.Sources(), s.Sources()
	var texts [30]string
	seen := map[string]bool{}
	for i := range texts {
		texts[i] = string(forward.Request(transport.Ticket{Index: uint64(i)}).Bytes)
		seen[texts[i]] = true
	}
	for i := len(texts) - 1; i >= 0; i-- {
		if got := string(backward.Request(transport.Ticket{Index: uint64(i)}).Bytes); got != texts[i] {
			t.Errorf("request %d: %q, then %q", i, texts[i], got)
		}
	}
	if len(seen) != len(texts) {
		t.Errorf("%d different requests of %d", len(seen), len(texts))
	}
	rows := map[string]int{}
	for _, text := range texts {
		_, rest, _ := strings.Cut(text, "A: ")
		rows[rest[:1]]++
	}
	if rows["1"] != 10 || rows["2"] != 10 || rows["3"] != 10 {
		t.Errorf("rows were used %v times, want 10 each", rows)
	}
	var id string
	if _, err := fmt.Sscanf(texts[0][len("GET /12345678/"):], "%36s", &id); err != nil || id[8] != '-' || id[13] != '-' || id[14] != '4' || id[18] != '-' || !strings.Contains("89ab", id[19:20]) || id[23] != '-' {
		t.Errorf("%q is no UUID of version 4", id)
	}
	c.Seed = 8
	if made(t, c, 0) == texts[0] {
		t.Error("another seed makes the same request")
	}
}

func TestFunctionsHaveTheirOwn(t *testing.T) {
	t.Parallel()
	one, two := parse(t, "{path: /a, timeout: 1s}"), parse(t, "{path: '/b{{index}}', method: HEAD, timeout: 2s}")
	s, err := Compile(config("http://h", one, two))
	if err != nil {
		t.Fatal(err)
	}
	source := s.Sources()
	a, b := source.Request(transport.Ticket{Index: 4}), source.Request(transport.Ticket{Index: 4, Function: 1})
	if !strings.HasPrefix(string(a.Bytes), "GET /a ") || a.Timeout != time.Second || a.Expect.Head {
		t.Errorf("%q, %+v", a.Bytes, a)
	}
	if !strings.HasPrefix(string(b.Bytes), "HEAD /b4 ") || b.Timeout != 2*time.Second || !b.Expect.Head {
		t.Errorf("%q, %+v", b.Bytes, b)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"{body: {file: none}}":                               "request.body.file: open none: file does not exist",
		"{csv: none.csv, path: '/{{csv.id}}'}":               "request.csv: open none.csv",
		"{path: '/{{csv.id}}'}":                              "{{csv.id}} without a csv file",
		"{csv: rows.csv, path: '/{{csv.idd}}'}":              "request.path: {{csv.idd}}: rows.csv has no such column (it has id, name, a b)",
		"{csv: empty.csv}":                                   "empty.csv: empty",
		"{csv: names.csv}":                                   "names.csv: no row beside",
		"{csv: ragged.csv}":                                  "ragged.csv:3:1: wrong number of fields",
		"{csv: quote.csv}":                                   "quote.csv:2:6: extraneous or missing",
		"{csv: twice.csv}":                                   "twice.csv:1:4: \"id\" is no name for a column, or is there twice",
		"{csv: lines.csv, headers: ['A: {{csv.name}}']}":     "request.headers[0]: lines.csv:3:1: the row's name has a line end",
		"{headers: ['A: ${MISSING}']}":                       "request.headers[0]: the environment variable MISSING is not set",
		"{auth: {bearer: '${NONE}'}}":                        "the environment variable NONE is not set",
		"{auth: {bearer: '${SPLIT}'}}":                       "SPLIT has a control character",
		"{auth: {bearer: x}, headers: ['Authorization: y']}": "headers has Authorization too",
		"{auth: {basic: {user: 'a:b', password: x}}}":        "has a colon",
	} {
		_, err := Compile(config("http://h", parse(t, request)))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want %q", request, err, want)
		}
	}
	_, err := Compile(config("http://h", parse(t, "{body: {file: none}, headers: ['A: ${B}', 'C: ${D}']}")))
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 3 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the faults do not come together: %v", err)
	}
}

func TestNoAllocations(t *testing.T) {
	static := parse(t, "{method: POST, body: x}")
	dynamic := parse(t, "{method: POST, path: '/{{csv.name}}/{{uuid}}', csv: rows.csv, headers: ['A: {{index}}'], body: '{{random.20}}{{counter}}'}")
	s, err := Compile(config("http://h", static, dynamic))
	if err != nil {
		t.Fatal(err)
	}
	source := s.Sources()
	for f := range int32(2) {
		ticket := transport.Ticket{Function: f}
		source.Request(ticket)
		if n := testing.AllocsPerRun(1000, func() {
			ticket.Index++
			source.Request(ticket)
		}); n != 0 {
			t.Errorf("function %d: %v allocations a request", f, n)
		}
	}
}

func BenchmarkTemplated(b *testing.B) {
	r := parse(b, "{method: POST, path: '/{{csv.name}}/{{uuid}}', csv: rows.csv, headers: ['A: {{index}}'], body: '{{random.20}}{{counter}}'}")
	s, err := Compile(config("http://h", r))
	if err != nil {
		b.Fatal(err)
	}
	source := s.Sources()
	var ticket transport.Ticket
	b.ReportAllocs()
	for b.Loop() {
		ticket.Index++
		source.Request(ticket)
	}
}

func TestVariableInAPath(t *testing.T) {
	t.Parallel()
	r := profiles.Request{Method: "GET", Path: "/a?token=${TOKEN}&x=$${y}"}
	if got := made(t, config("http://h", r), 0); !strings.HasPrefix(got, "GET /a?token=hunter2&x=${y} HTTP/1.1\r\n") {
		t.Errorf("%q", got)
	}
	r.Path = "/${SPLIT}"
	if _, err := Compile(config("http://h", r)); err == nil || !strings.Contains(err.Error(), "request.path: the environment variable SPLIT has a control character") {
		t.Errorf("%v: a line end would be another request", err)
	}
}
