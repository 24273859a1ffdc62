package live

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestListen(t *testing.T) {
	t.Parallel()
	l, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf(":0 is %v", ip)
	}
	for address, want := range map[string]string{
		l.Addr().String(): "somebody listens there already: choose another port, or :0",
		"8080":            "want :PORT or HOST:PORT",
		":http":           "want :PORT or HOST:PORT",
		"192.0.2.1:0":     "192.0.2.1:0: ",
	} {
		if taken, err := Listen(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
			if err == nil {
				taken.Close()
			}
		}
	}
}

// ask makes one request and returns status and body.
func ask(t *testing.T, method, address string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func metricsText(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x 1\n") }

// Who may do what, on a loopback address and off it.
func TestGuard(t *testing.T) {
	t.Parallel()
	ended := NewFeed()
	ended.End("valid", "")
	stops := 0
	s := &Server{Shows: []Show{{Feed: ended}}, Stop: func() { stops++ }, Metrics: http.HandlerFunc(metricsText)}
	u := serve(t, s)
	token := strings.TrimPrefix(u.Fragment, "token=")
	base := "http://" + u.Host
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(value string) func(*http.Request) { return func(r *http.Request) { r.Host = value } }
	both := func(a, b func(*http.Request)) func(*http.Request) { return func(r *http.Request) { a(r); b(r) } }
	bearer := header("Authorization", "Bearer "+token)
	open := []struct {
		what, method, path string
		change             func(*http.Request)
		want               int
	}{
		{"the page", "GET", "/", nil, 200},
		{"its script", "GET", "/live.js", nil, 200},
		{"metrics", "GET", "/metrics", nil, 200},
		{"a stream", "GET", "/stream", nil, 200},
		{"localhost", "GET", "/stream", host("localhost:" + u.Port()), 200},
		{"a name that was rebound", "GET", "/stream", host("evil.example:" + u.Port()), 403},
		{"another port", "GET", "/", host("127.0.0.1:1"), 403},
		{"a page of another origin", "GET", "/stream", header("Origin", "http://evil.example"), 403},
		{"a sandboxed page", "GET", "/stream", header("Origin", "null"), 403},
		{"an image of another site", "GET", "/metrics", header("Sec-Fetch-Site", "cross-site"), 403},
		{"a show there is not", "GET", "/stream?show=nope", nil, 404},
		{"stop without token", "POST", "/stop", nil, 403},
		{"stop with a wrong one", "POST", "/stop", header("Authorization", "Bearer "+strings.Repeat("A", len(token))), 403},
		{"stop by cookie alone", "POST", "/stop", header("Cookie", "edgebench_"+u.Port()+"="+token), 403},
		{"stop from another origin", "POST", "/stop", both(bearer, header("Origin", "http://evil.example")), 403},
		{"stop by GET", "GET", "/stop", bearer, 405},
		{"stop", "POST", "/stop", bearer, 202},
		{"stop again", "POST", "/stop", both(bearer, header("Origin", base)), 202},
	}
	for _, c := range open {
		if got, body, _ := ask(t, c.method, base+c.path, c.change); got != c.want {
			t.Errorf("%s: %d, want %d: %s", c.what, got, c.want, body)
		}
	}
	if stops != 1 {
		t.Errorf("stopped %d times", stops)
	}

	// The same server off a loopback address.
	s.guard.open = false
	_, _, admitted := ask(t, "POST", base+"/session", bearer)
	cookie, _, _ := strings.Cut(admitted.Get("Set-Cookie"), ";")
	if set := admitted.Get("Set-Cookie"); !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
		t.Errorf("cookie %q", set)
	}
	for _, c := range []struct {
		what, path string
		change     func(*http.Request)
		want       int
	}{
		{"the page", "/", nil, 200},
		{"a stream", "/stream", nil, 401},
		{"a stream of a browser that was admitted", "/stream", header("Cookie", cookie), 200},
		{"a wrong cookie", "/stream", header("Cookie", cookie+"x"), 401},
		{"metrics", "/metrics", nil, 401},
		{"metrics with the token", "/metrics", bearer, 200},
	} {
		if got, body, _ := ask(t, "GET", base+c.path, c.change); got != c.want {
			t.Errorf("off loopback: %s: %d, want %d: %s", c.what, got, c.want, body)
		}
	}
	if _, body, h := ask(t, "POST", base+"/session", nil); !strings.Contains(body, `"see":false`) || h.Get("Set-Cookie") != "" || strings.Contains(body, "show") && !strings.Contains(body, `"shows":null`) {
		t.Errorf("a stranger is told %s", body)
	}
}

// A browser that never reads holds nothing up: not the feed, not the end. One
// that reads again has lost nothing but detail, and is told how much it missed.
func TestViewerThatNeverReads(t *testing.T) {
	t.Parallel()
	feed := NewFeed()
	s := &Server{Shows: []Show{{Feed: feed}}}
	u := serve(t, s)
	dead, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	if _, err := io.WriteString(dead, "GET /stream HTTP/1.1\r\nHost: "+u.Host+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for feed.watching() == 0 {
		runtime.Gosched() // the server takes it up in its own time
	}
	slow := feed.watch(0)
	defer feed.leave(slow)
	feed.Begin(manifest(20_000), "")
	play(feed, 0, 20_000) // far more than sockets and queues hold
	feed.End("valid", "")
	m := feed.current(slow, <-slow.queue)
	var told story
	if err := json.Unmarshal(m.data, &told); err != nil || m.name != "story" || !m.last {
		t.Fatalf("%s, last %v, %v", m.name, m.last, err)
	}
	if told.Missed < 19_000 || told.Totals.Scheduled != 600_000 || told.End == nil || len(slow.queue) != 0 {
		t.Errorf("missed %d, totals %+v", told.Missed, told.Totals)
	}
	s.Close() // returns, though one connection is stuck
}

func (f *Feed) watching() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.viewers)
}

// events reads server-sent events of a stream until its end.
func events(t *testing.T, u *url.URL, last string) (names []string, stories []story) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+u.Host+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReaderSize(resp.Body, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return names, stories
		}
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && names[len(names)-1] == "story" {
			var s story
			if err := json.Unmarshal([]byte(data), &s); err != nil {
				t.Fatal(err)
			}
			stories = append(stories, s)
		}
	}
}

// Who comes again gets the whole time, thinned, and hears what it missed.
func TestComingAgain(t *testing.T) {
	t.Parallel()
	feed := NewFeed()
	u := serve(t, &Server{Shows: []Show{{Feed: feed}}})
	feed.Begin(manifest(5000), "")
	play(feed, 0, 4000)
	seen := feed.seq - 7
	feed.End("valid", "in runs/x")
	names, stories := events(t, u, strconv.FormatUint(seen, 10))
	if len(names) != 1 || names[0] != "story" || stories[0].Missed != 8 || stories[0].End.Verdict != "valid" {
		t.Fatalf("%q, missed %d, %+v", names, stories[0].Missed, stories[0].End)
	}
	seconds := stories[0].Groups[groupSecond]
	at := seconds.Values[0]
	if n := len(at); n > maxRows || n < maxRows/2 || at[0] != 0 || at[n-1] < 3990 || seconds.Span != 4 {
		t.Errorf("%d rows from %v to %v, span %v", n, at[0], at[n-1], seconds.Span)
	}
	for _, v := range seconds.Values[1] {
		if v != 30 {
			t.Fatalf("a rate of 30/s became %v", v)
		}
	}
	if len(stories[0].Log) > maxLog || len(stories[0].Marks) != maxMarks {
		t.Errorf("%d lines, %d marks", len(stories[0].Log), len(stories[0].Marks))
	}
}

// Many browsers at once: each has the whole, and one too many is told so.
func TestManyViewers(t *testing.T) {
	t.Parallel()
	feed := NewFeed()
	u := serve(t, &Server{Shows: []Show{{Feed: feed}}})
	done := make(chan []string, maxViewers)
	for range maxViewers {
		go func() {
			names, _ := events(t, u, "")
			done <- names
		}()
	}
	for feed.watching() < maxViewers {
		runtime.Gosched() // they come in their own time
	}
	if status, body, _ := ask(t, http.MethodGet, "http://"+u.Host+"/stream", nil); status != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d %s", status, body)
	}
	feed.Begin(manifest(10), "")
	play(feed, 0, 3)
	feed.End("valid", "")
	for range maxViewers {
		if names := <-done; names[0] != "story" || len(names) > 6 {
			t.Fatalf("%q", names)
		}
	}
}

// Events from before the run are placed once it has begun, and what a target says
// stays one line of JSON, whatever is in it.
func TestEarlyAndHostileEvents(t *testing.T) {
	t.Parallel()
	feed := NewFeed()
	feed.Event([]byte(`{"unix_ns":500000000,"event":"template_start","pid":7}`))
	feed.Event([]byte(`not JSON`))
	feed.Begin(manifest(10), "")
	feed.Event([]byte(`{"unix_ns":2000000000,"event":"error","reason":"a\nb\u0000\u001b[31m` + strings.Repeat("x", 1000) + `"}`))
	m := <-feed.watch(0).queue
	var told story
	if err := json.Unmarshal(m.data, &told); err != nil || strings.ContainsAny(string(m.data), "\n\r") {
		t.Fatalf("%v: %q", err, m.data)
	}
	if len(told.Log) != 2 || told.Log[0].T != -0.5 || told.Log[0].Text != "template start  pid 7" || told.Log[1].Class != "error" || len(told.Log[1].Text) > 2*maxText {
		t.Errorf("%+v", told.Log)
	}
}
