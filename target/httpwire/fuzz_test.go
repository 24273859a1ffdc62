package httpwire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func seed(f *testing.F, add func(in string)) {
	f.Helper()
	for _, c := range requests {
		add(c.in)
	}
	for _, c := range refusals {
		add(c.in)
	}
}

// However the input is cut, the requests and the fault are the same. That no
// input panics is checked along the way.
func FuzzSplit(f *testing.F) {
	seed(f, func(in string) { f.Add([]byte(in), []byte{1, 7, 2}) })
	f.Fuzz(func(t *testing.T, in, cuts []byte) {
		limits := Limits{Head: 200, Body: 100}
		want := transcript(in, limits, whole)
		if got := transcript(in, limits, each(1)); got != want {
			t.Fatalf("byte by byte:\n%swhole:\n%s", got, want)
		}
		i := 0
		got := transcript(in, limits, func(left int) int {
			if i == len(cuts) {
				return left
			}
			i++
			return min(1+int(cuts[i-1]), left)
		})
		if got != want {
			t.Fatalf("cut %v:\n%swhole:\n%s", cuts, got, want)
		}
	})
}

// Where this parser accepts a request, net/http must read the same one; where
// net/http reads one and this parser does not, a rule of the package's
// documentation must be the reason.
func FuzzAgainstNetHTTP(f *testing.F) {
	seed(f, func(in string) { f.Add([]byte(in)) })
	f.Fuzz(func(t *testing.T, in []byte) {
		ours, fault := first(in)
		theirs, err := netHTTP(in)
		switch {
		case ours != "" && err == nil && ours != theirs:
			t.Fatalf("ours   %s\ntheirs %s", ours, theirs)
		case ours != "" && err != nil && !narrower(err):
			t.Fatalf("ours %s\ntheirs refuses: %v", ours, err)
		case fault != nil && err == nil && !stricter(fault):
			t.Fatalf("refused: %v\ntheirs %s", fault, theirs)
		}
	})
}

// first is the first whole request of in, or why there is none.
func first(in []byte) (string, *Fault) {
	var p Parser
	var req Request
	var body []byte
	for {
		n, ev := p.Next(in, &req)
		switch ev {
		case More:
			return "", nil
		case Bad:
			return "", p.Fault()
		case Body:
			body = append(body, p.Data()...)
		case End:
			return fmt.Sprintf("%s %s 1.%d %d %q", req.Method(), req.Target(), req.Minor, req.Length, body), nil
		}
		in = in[n:]
	}
}

func netHTTP(in []byte) (string, error) {
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(in)))
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %s %d.%d %d %q", req.Method, req.RequestURI, req.ProtoMajor, req.ProtoMinor, req.ContentLength, body), nil
}

// narrower names what net/http checks and this package leaves to the handler:
// the form of the target and of the host, and the names of trailers; it also
// does not skip empty lines.
func narrower(err error) bool {
	for _, text := range []string{`malformed HTTP request ""`, "invalid URI", "invalid URL", "parse ", "bad trailer key", "malformed Host", "invalid port", "missing ']'"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// stricter names the refusals of the package's documentation that net/http
// does not share, or that its server makes after ReadRequest.
func stricter(f *Fault) bool {
	switch f.Status {
	case 413, 414, 417, 431, 505:
		return true
	}
	for _, text := range []string{
		"bare LF", "Host is", "is repeated", "both Content-Length", "Transfer-Encoding in HTTP/1.0", "is folded",
		"control character", "Content-Length is empty", "is not a size and extensions", "empty lines before", "bare CR",
		"request cannot start", "is not a token", "is not a number", "is not method, target",
	} {
		if strings.Contains(f.Text, text) {
			return true
		}
	}
	return f.Status == 501
}
