package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"edgebench/loadgen/transport/transporttest"
)

// noted is a server that keeps what it was sent, one text a request, and answers
// by the path.
type noted struct {
	*transporttest.Server
	mu   sync.Mutex
	seen []string
}

func serveNoted(t *testing.T) *noted {
	n := &noted{}
	n.Server = transporttest.Serve(t, func(c *transporttest.Conn) {
		for {
			r, err := http.ReadRequest(c.Reader())
			if err != nil {
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			n.mu.Lock()
			n.seen = append(n.seen, r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X-User")+" "+string(body))
			n.mu.Unlock()
			switch r.URL.Path {
			case "/missing":
				c.Send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			case "/moved":
				c.Send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
			default:
				c.Send("HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"state\": \"done\"}")
			}
		}
	})
	return n
}

// Requests by the program as users run it: each of the twenty arrives once, as
// the profile says, and what is secret is told to the target alone.
func TestRequestsAsTheProfileSays(t *testing.T) {
	t.Parallel()
	server := serveNoted(t)
	profile := twenty("{url: 'http://"+server.Address()+"'}") + `request:
  method: POST
  path: /q?i={{index}}&u={{csv.name}}
  headers: ["X-User: {{csv.name}}", "Authorization: Bearer ${LOADGEN_TEST_TOKEN}"]
  body: {file: body.json, template: true}
  csv: users.csv
  expect: {status: [200], body: {json: {state: done}}}
`
	c := loadgen(t, profile, "run", "p.yaml", "--json", "--no-preflight")
	for name, text := range map[string]string{"users.csv": "name\nann\nbob\n", "body.json": `{"n": {{counter}}}`} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.Env = append(os.Environ(), "LOADGEN_TEST_TOKEN=hunter2")
	c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
	if s := c.summary(t); s.Counts.OK != 20 {
		t.Errorf("%+v %v", s.Counts, s.ErrorsByClass)
	}
	assertNowhere(t, filepath.Join(c.Dir, "runs"), "hunter2")
	server.mu.Lock()
	defer server.mu.Unlock()
	once := map[string]bool{}
	for _, text := range server.seen {
		once[text] = true
	}
	if len(server.seen) != 20 || !once[`POST /q?i=0&u=ann Bearer hunter2 ann {"n": 0}`] || !once[`POST /q?i=19&u=bob Bearer hunter2 bob {"n": 19}`] {
		t.Errorf("%d requests arrived: %q", len(server.seen), server.seen)
	}
}

// C13, C14: a redirect is counted and not followed, a 404 is an error unless it
// is what was expected, and a body that is not what was expected has its class.
func TestOutcomesOfExpectations(t *testing.T) {
	t.Parallel()
	server := serveNoted(t)
	for request, class := range map[string]string{
		"{path: /moved}":                                 "http_3xx",
		"{path: /missing}":                               "http_4xx",
		"{path: /missing, expect: {status: 404}}":        "",
		"{path: /x, expect: {body: {contains: failed}}}": "body_check",
	} {
		c := loadgen(t, twenty("{url: 'http://"+server.Address()+"'}")+"request: "+request+"\n", "run", "p.yaml", "--json", "--no-preflight")
		c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
		s := c.summary(t)
		reconcile(t, s)
		if class == "" && s.Counts.OK != 20 || class != "" && (s.Counts.OK != 0 || s.ErrorsByClass[class] != 20) {
			t.Errorf("%s: %+v %v, want 20 of %q", request, s.Counts, s.ErrorsByClass, class)
		}
	}
	if n := len(server.seen); n != 80 {
		t.Errorf("%d requests on the wire for 80", n)
	}
}

// What a run would miss is said before anything is sent, and by check.
func TestMissingPartsOfRequests(t *testing.T) {
	t.Parallel()
	profile := twenty("{url: 'http://127.0.0.1:1'}") + "request: {body: {file: none.json}, headers: ['A: ${LOADGEN_TEST_UNSET}']}\n"
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"check", []string{"p.yaml:4:24: request.body.file: open none.json"}},
		{"plan", []string{"open none.json"}},
		{"run", []string{"open none.json", "request.headers[0]: the environment variable LOADGEN_TEST_UNSET is not set"}},
	} {
		run := loadgen(t, profile, c.command, "p.yaml")
		run.wantCode(t, run.code(t, run.Run()), exitUsage)
		for _, want := range c.want {
			if !strings.Contains(run.stderr.String(), want) {
				t.Errorf("%s says %q, want %q", c.command, run.stderr.String(), want)
			}
		}
	}
}
