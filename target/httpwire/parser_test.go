package httpwire

import (
	"strings"
	"testing"
)

var requests = []struct {
	name, in, want string
}{
	{"get", "GET /a?b=1 HTTP/1.1\r\nHost: h\r\n\r\n", "GET /a?b=1 1.1 keep=true expect=false [Host=h]\nmore between=true\n"},
	{"pipelined", "GET /1 HTTP/1.1\r\nHost:h\r\n\r\nPOST /2 HTTP/1.1\r\nhOST: h\r\ncontent-LENGTH: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: h\r\nConnection: x , CLOSE\r\n\r\n",
		"GET /1 1.1 keep=true expect=false [Host=h]\nPOST /2 1.1 keep=true expect=false [hOST=h] [content-LENGTH=3] body \"abc\"\n" +
			"GET /3 1.1 keep=false expect=false [Host=h] [Connection=x , CLOSE]\nmore between=true\n"},
	{"old", "GET / HTTP/1.0\r\n\r\n", "GET / 1.0 keep=false expect=false\nmore between=true\n"},
	{"old kept", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / 1.0 keep=true expect=false [Connection=Keep-Alive]\nmore between=true\n"},
	{"close outweighs keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
		"GET / 1.0 keep=false expect=false [Connection=keep-alive] [Connection=close]\nmore between=true\n"},
	{"empty lines before", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n\r\n", "GET / 1.1 keep=true expect=false [Host=h]\nmore between=true\n"},
	{"chunked", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n00A;e =\t1\r\n0123456789\r\n0\r\nT: 1\r\nU:\r\n\r\nGET /n HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST / 1.1 keep=true expect=false [Host=h] [Transfer-Encoding=Chunked] body \"abc0123456789\"\nGET /n 1.1 keep=true expect=false [Host=h]\nmore between=true\n"},
	{"expect", "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
		"PUT / 1.1 keep=true expect=true [Host=h] [Expect=100-Continue] [Content-Length=1] body \"x\"\nmore between=true\n"},
	{"expect without body", "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n", "PUT / 1.1 keep=true expect=false [Host=h] [Expect=100-continue]\nmore between=true\n"},
	{"length 0", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "POST / 1.1 keep=true expect=false [Host=h] [Content-Length=0]\nmore between=true\n"},
	{"unfinished head", "GET / HTTP/1.1\r\nHost", "more between=false\n"},
	{"unfinished body", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc", "more between=false\n"},
	{"raw UTF-8", "GET /ä HTTP/1.1\r\nHost: h\r\nX: ü\tü\r\n\r\n", "GET /ä 1.1 keep=true expect=false [Host=h] [X=ü\tü]\nmore between=true\n"},
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range requests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(c.in); size++ {
				if got := transcript([]byte(c.in), Limits{}, each(size)); got != c.want {
					t.Fatalf("in pieces of %d bytes:\ngot  %s\nwant %s", size, got, c.want)
				}
			}
		})
	}
}

var refusals = []struct {
	name, in string
	status   string
}{
	{"tls greeting", "\x16\x03\x01", "400"},
	{"lf before", "\nGET / HTTP/1.1\r\n", "400"},
	{"cr before", "\rGET / HTTP/1.1\r\n", "400"},
	{"bare lf in request line", "GET / HTTP/1.1\n", "400"},
	{"bare lf in header", "GET / HTTP/1.1\r\nHost: h\n", "400"},
	{"bare cr in header", "GET / HTTP/1.1\r\nHost: h\rX: y\r\n", "400"},
	{"nul in header", "GET / HTTP/1.1\r\nX-Long-Enough-For-Words: 0123456789\x00abcdefgh\r\n", "400"},
	{"del in header", "GET / HTTP/1.1\r\nX: 012345\x7f\r\n", "400"},
	{"two words", "GET /\r\n", "400"},
	{"space in target", "GET /a b HTTP/1.1\r\n", "400"},
	{"empty target", "GET  HTTP/1.1\r\n", "400"},
	{"bad method", "G{T / HTTP/1.1\r\n", "400"},
	{"no version", "GET / http/1.1\r\n", "400"},
	{"http 2", "PRI * HTTP/2.0\r\n", "505"},
	{"http 1.2", "GET / HTTP/1.2\r\n", "505"},
	{"no host", "GET / HTTP/1.1\r\n\r\n", "400"},
	{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"},
	{"folded", "GET / HTTP/1.1\r\nHost: h\r\n X: y\r\n", "400"},
	{"space before colon", "GET / HTTP/1.1\r\nHost : h\r\n", "400"},
	{"no colon", "GET / HTTP/1.1\r\nHost\r\n", "400"},
	{"no name", "GET / HTTP/1.1\r\n: h\r\n", "400"},
	{"two lengths", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n", "400"},
	{"list of lengths", "GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n", "400"},
	{"signed length", "GET / HTTP/1.1\r\nContent-Length: +1\r\n", "400"},
	{"empty length", "GET / HTTP/1.1\r\nContent-Length:\r\n", "400"},
	{"hex length", "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999x\r\n", "400"},
	{"huge length", "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", "413"},
	{"length above limit", "GET / HTTP/1.1\r\nContent-Length: 101\r\n", "413"},
	{"length and chunked", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
	{"chunked and length", "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "400"},
	{"chunked twice", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "400"},
	{"gzip, chunked", "GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n", "501"},
	{"identity", "GET / HTTP/1.1\r\nTransfer-Encoding: identity\r\n", "501"},
	{"vertical tab chunked", "GET / HTTP/1.1\r\nTransfer-Encoding: \x0bchunked\r\n", "400"},
	{"chunked in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
	{"expectation", "GET / HTTP/1.1\r\nExpect: wonders\r\n", "417"},
	{"chunk size sign", chunkedHead + "-1\r\n", "400"},
	{"chunk size 0x", chunkedHead + "0x1\r\n", "400"},
	{"chunk size empty", chunkedHead + "\r\n", "400"},
	{"chunk size bare lf", chunkedHead + "1\n", "400"},
	{"chunk size space", chunkedHead + "1 \r\n", "400"},
	{"chunk size space before extension", chunkedHead + "1 ;e\r\n", "400"},
	{"chunk size overflow", chunkedHead + "FFFFFFFFFFFFFFFF\r\n", "413"},
	{"chunk size digits", chunkedHead + "00000000000000001\r\n", "400"},
	{"chunk too long", chunkedHead + "1\r\nab", "400"},
	{"chunk end", chunkedHead + "1\r\na\rb", "400"},
	{"chunks above limit", chunkedHead + "64\r\n" + strings.Repeat("x", 100) + "\r\n1\r\n", "413"},
	{"chunk extensions", chunkedHead + strings.Repeat("1;"+strings.Repeat("e", 100)+"\r\nx\r\n", 10), "431"},
	{"chunk extension without end", chunkedHead + "1;" + strings.Repeat("e", 1000), "431"},
	{"trailer bare lf", chunkedHead + "0\r\n\n", "400"},
	{"trailer name", chunkedHead + "0\r\na b: c\r\n", "400"},
	{"trailers", chunkedHead + "0\r\n" + strings.Repeat("a: 0123456789\r\n", 100), "431"},
	{"request line", "GET /" + strings.Repeat("a", 1000), "414"},
	{"head", "GET / HTTP/1.1\r\n" + strings.Repeat("a: 0123456789\r\n", 100), "431"},
	{"empty lines", strings.Repeat("\r\n", 1000), "400"},
}

const chunkedHead = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

func TestRefusals(t *testing.T) {
	t.Parallel()
	limits := Limits{Head: 400, Body: 100}
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := transcript([]byte(c.in), limits, whole)
			if !strings.HasPrefix(want, "bad "+c.status+" ") {
				t.Fatalf("got %swant status %s", want, c.status)
			}
			for size := 1; size < len(c.in); size++ {
				if got := transcript([]byte(c.in), limits, each(size)); got != want {
					t.Fatalf("in pieces of %d bytes:\ngot  %swant %s", size, got, want)
				}
			}
		})
	}
}

func TestLimitsAreExact(t *testing.T) {
	t.Parallel()
	in := "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
	head := len(in) - 5
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Head: head, Body: 5}, "POST"},
		{Limits{Head: head - 1, Body: 5}, "bad 431"},
		{Limits{Head: head, Body: 4}, "bad 413"},
		{Limits{Head: head, Body: -1}, "bad 413"},
	} {
		if got := transcript([]byte(in), c.limits, whole); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: got %swant %s", c.limits, got, c.want)
		}
	}
}

func TestPathAndQuery(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"/", "/", ""}, {"/a/b?c=d?e", "/a/b", "c=d?e"}, {"/a?", "/a", ""}, {"*", "*", ""}, {"h:80", "h:80", ""},
		{"http://h/a?b", "/a", "b"}, {"http://h", "/", ""}, {"http://h?b", "/", "b"}, {"/a?u=http://h/x", "/a", "u=http://h/x"},
	} {
		var p Parser
		var req Request
		if _, ev := p.Next([]byte("GET "+c[0]+" HTTP/1.0\r\n\r\n"), &req); ev != Head {
			t.Fatalf("%s: event %d, %v", c[0], ev, p.Fault())
		}
		if string(req.Path()) != c[1] || string(req.Query()) != c[2] {
			t.Errorf("%s: path %q query %q, want %q and %q", c[0], req.Path(), req.Query(), c[1], c[2])
		}
	}
}

func TestHeaderOutlivesItsInput(t *testing.T) {
	t.Parallel()
	in := []byte("POST /p HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 1\r\n\r\n")
	var p Parser
	var req Request
	if _, ev := p.Next(in, &req); ev != Head {
		t.Fatalf("event %d, %v", ev, p.Fault())
	}
	req.Own(nil)
	clear(in)
	if got := string(req.Header("x-a")); got != "1" || string(req.Target()) != "/p" || req.Header("x-b") != nil {
		t.Errorf("x-a %q, target %q, x-b %q", got, req.Target(), req.Header("x-b"))
	}
}
