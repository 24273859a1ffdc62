package convert

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entry is a GET that began so many seconds after a minute.
func entry(second int, url string) string {
	return fmt.Sprintf(`{"startedDateTime": "2026-11-30T10:00:%02d.500+01:00", "time": 3, "request": {"method": "GET", "url": %q, "headers": [{"name": ":authority", "value": "h"}, {"name": "Host", "value": "h"}, {"name": "X-A", "value": "b"}]}, "response": {"content": {"text": "[{]}"}}}`, second, url)
}

func archive(entries ...string) string {
	return `{"log": {"version": "1.2", "pages": [{}], "entries": [` + strings.Join(entries, ",\n") + `]}}`
}

const posted = `{"startedDateTime": "2026-11-30T09:00:03Z", "request": {"method": "POST", "url": "https://h/login", "headers": [{"name": "authorization", "value": "Bearer s3cr3t"}, {"name": "content-type", "value": "application/x-www-form-urlencoded"}, {"name": "Content-Length", "value": "3"}],
 "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "&"}]}}}`

func TestHARKeepsRecordedTimes(t *testing.T) {
	t.Parallel()
	text := archive(entry(5, "https://h/b"), entry(2, "https://h/a"), entry(2, "http://other/"), posted, entry(9, "https://h/a"), entry(9, "data:image/png;base64,x"))
	p, r := made(t, strings.Replace(text, `"data:`, `"ws://h/`, 1), "", Options{Host: "h"})
	s := time.Second
	if diff := cmp.Diff([]time.Duration{0, s / 2, 3 * s, 7 * s}, p.Arrivals.Times.At); diff != "" {
		t.Error(diff)
	}
	if len(p.Functions) != 3 || p.Functions[1].Weight != 2 {
		t.Fatalf("%s", r.Profile)
	}
	login := p.Functions[2].Request
	if login.Body.Text != "a+b=%26" || login.Headers[0].Line != "authorization: Bearer ${BEARER_TOKEN}" || len(login.Headers) != 2 {
		t.Errorf("%+v", login)
	}
	if got := p.Functions[0].Request.Headers; len(got) != 1 || got[0].Line != "X-A: b" {
		t.Errorf("headers %+v", got)
	}
	for _, want := range []string{"4 of 6 requests go to h", "1  http://other", "ws: requests: not carried over", "may have waited"} {
		if !strings.Contains(notes(r), want) {
			t.Errorf("missing %q in\n%s", want, notes(r))
		}
	}

	p, _ = made(t, text[:strings.LastIndex(text, ",\n")]+"]}}", "har", Options{Host: "https://h", Rate: "5/s"})
	if p.Arrivals.Recorded() || p.Phases[0].Rate.From != 5 {
		t.Errorf("--rate did not take the place of the times: %+v", p.Phases)
	}
}

// A large archive passes through: what is alive follows from what is kept.
func TestHARIsStreamed(t *testing.T) {
	const size = 50 << 20
	big := &archiveReader{chunk: strings.Replace(entry(1, "http://h/"), `[{]}`, strings.Repeat("x", 300<<10), 1), left: size}
	r, err := Convert(io.MultiReader(strings.NewReader(`{"log": {"entries": [`), big, strings.NewReader(entry(2, "http://h/")+`]}}`)), "", Options{File: "in", Rate: "1/s"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(r.Profile), "X-A: b") || big.checks < 5 {
		t.Errorf("%d looks at memory\n%s", big.checks, r.Profile)
	}
	if big.most > 8<<20 {
		t.Errorf("%d MiB alive while %d MiB pass", big.most>>20, size>>20)
	}
}

// An archiveReader repeats an entry and looks at the heap now and then.
type archiveReader struct {
	chunk, rest string
	left        int
	passed      int
	checks      int
	first, most uint64
}

func (a *archiveReader) Read(b []byte) (int, error) {
	if a.rest == "" {
		if a.left <= 0 {
			return 0, io.EOF
		}
		a.rest = a.chunk + ","
		a.left -= len(a.rest)
		if a.passed++; a.passed%20 == 0 {
			a.look()
		}
	}
	n := copy(b, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func (a *archiveReader) look() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if a.checks++; a.checks == 1 {
		a.first = m.HeapAlloc
	}
	a.most = max(a.most, m.HeapAlloc-min(a.first, m.HeapAlloc))
}
