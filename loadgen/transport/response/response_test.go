package response

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgebench/analysis/rundir"
)

// verdict is everything a response says when its bytes are in.
type verdict struct {
	Whole, Malformed, Reuse bool
	Fault                   rundir.Outcome
	Status                  uint16
	Body, Bytes             int64
	Rest                    int
}

// take feeds the pieces and stops where a connection would.
func take(h *Parser, expected *Expectation, pieces ...[]byte) verdict {
	var r Response
	r.Expect(expected)
	rest := 0
	for i, p := range pieces {
		left := r.Feed(p, h)
		if r.stage == whole || r.stage == malformed {
			rest = len(left)
			for _, later := range pieces[i+1:] {
				rest += len(later)
			}
			break
		}
	}
	v := verdict{Whole: r.stage == whole, Malformed: r.stage == malformed, Reuse: r.reuse, Fault: r.fault, Status: r.status, Body: r.body, Bytes: r.bytes, Rest: rest}
	if v.Malformed { // how far it was read before the fault was seen depends on the pieces
		v.Body, v.Bytes, v.Rest = 0, 0, 0
	}
	return v
}

func testParser() *Parser {
	return NewParser(Config{HeaderLimit: 4096, BodyLimit: 1 << 20, ColdHeader: "X-Cold-Start"})
}

var responses = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\nmore",
	"HTTP/1.0 200 OK\r\n\r\nto the end",
	"HTTP/1.1 204 No Content\r\nX-Path: warm\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nxx",
	"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\nabc",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
	"SSH-2.0-OpenSSH\r\n\r\n",
}

func TestAnySplitGivesTheSame(t *testing.T) {
	t.Parallel()
	for _, head := range []bool{false, true} {
		h := testParser()
		for _, text := range responses {
			want := take(h, &Expectation{Head: head}, []byte(text))
			for i := range len(text) {
				for j := i; j <= min(len(text), i+3); j++ {
					got := take(h, &Expectation{Head: head}, []byte(text[:i]), []byte(text[i:j]), []byte(text[j:]))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%q cut at %d and %d (-whole +cut):\n%s", text, i, j, diff)
					}
				}
			}
		}
	}
}

func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	h := testParser()
	base := "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: "
	for over, want := range map[int]rundir.Outcome{0: rundir.OK, 1: rundir.ErrHeaderTooLarge} {
		text := base + strings.Repeat("x", h.limit-len(base)-4+over) + "\r\n\r\n"
		for _, cut := range []int{0, 100, len(text) - 1} {
			if v := take(h, nil, []byte(text[:cut]), []byte(text[cut:])); v.Fault != want {
				t.Errorf("header of %d bytes, limit %d, cut at %d: %v, want %v", len(text), h.limit, cut, v.Fault, want)
			}
		}
	}
	endless := "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1000)
	if v := take(h, nil, []byte(endless)); v.Fault != rundir.ErrHeaderTooLarge {
		t.Errorf("endless header: %+v", v)
	}
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	h := testParser()
	piece := bytes.Repeat([]byte("x"), 1<<16)
	for name, c := range map[string]struct{ head, before string }{
		"to the close": {"HTTP/1.1 200 OK\r\n\r\n", ""},
		"chunked":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n"},
	} {
		var r Response
		r.Expect(nil)
		r.Feed([]byte(c.head), h)
		for range 17 {
			r.Feed([]byte(c.before), h)
			r.Feed(piece, h)
			if c.before != "" {
				r.Feed([]byte("\r\n"), h)
			}
		}
		if r.fault != rundir.ErrBodyTooLarge {
			t.Errorf("%s: %v after %d bytes, limit %d", name, r.fault, r.body, h.bodyLimit)
		}
	}
}

func TestParsingAllocatesNothing(t *testing.T) {
	h := testParser()
	text := []byte("HTTP/1.1 200 OK\r\nServer: node\r\nX-Path: queued\r\nX-Cold-Start: false\r\nX-Worker-Id: 3\r\n" +
		"X-Queue-Wait-Ns: 1200\r\nX-Start-Wait-Ns: 0\r\nX-Service-Ns: 500000000\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
	var r Response
	if n := testing.AllocsPerRun(1000, func() {
		r.Reset()
		r.Feed(text[:70], h)
		r.Feed(text[70:], h)
	}); n != 0 || r.stage != whole || r.marks.path != rundir.PathQueued {
		t.Errorf("%g allocations, stage %d, marks %+v", n, r.stage, r.marks)
	}
}

// FuzzResponse checks that nothing panics, that a cut changes nothing, and
// that what both accept net/http reads alike.
func FuzzResponse(f *testing.F) {
	for _, text := range responses {
		f.Add([]byte(text), uint16(20), false)
		f.Add([]byte(text), uint16(3), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut uint16, head bool) {
		h := testParser()
		want := take(h, &Expectation{Head: head}, text)
		at := int(cut) % (len(text) + 1)
		if got := take(h, &Expectation{Head: head}, text[:at], text[at:]); got != want {
			t.Fatalf("cut at %d: %+v, whole %+v", at, got, want)
		}
		if want.Whole && !head {
			compare(t, text, want)
		}
	})
}

// compare reads the response with net/http, which follows interim responses
// and refuses more than we do; where both accept, status and body must agree.
func compare(t *testing.T, text []byte, got verdict) {
	t.Helper()
	reader := bufio.NewReader(bytes.NewReader(text))
	for {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, response.Body)
		if err != nil {
			return
		}
		if response.StatusCode/100 == 1 && response.StatusCode != 101 {
			continue
		}
		if response.StatusCode != int(got.Status) || n != got.Body {
			t.Fatalf("status %d with %d bytes, net/http reads %d with %d", got.Status, got.Body, response.StatusCode, n)
		}
		return
	}
}
