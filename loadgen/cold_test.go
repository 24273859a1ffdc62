package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Every way a response may tell of a cold start gives the same counts: a server
// with an instance for ten requests each.
func TestColdByWhatTheResponseTells(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			return
		}
		n := served.Add(1) - 1
		instance, first := n/10, n%10 == 0
		w.Header().Set("X-Instance", fmt.Sprint(instance))
		w.Header().Set("X-First", fmt.Sprint(first))
		fmt.Fprintf(w, `{"meta":{"cold":%t,"instance":"i%d"}}`, first, instance)
	}))
	t.Cleanup(server.Close)
	const profile = `name: told
target: {url: %q}
phases: [{name: load, rate: 100/s, for: 500ms}]
cold: %s
shards: 2
`
	for _, cold := range []string{
		"{header: X-First}", "{json: meta.cold}", "{instance_id: {header: x-instance}}", "{instance_id: {json: meta.instance}}",
	} {
		served.Store(0)
		c := loadgen(t, fmt.Sprintf(profile, server.URL, cold), "run", "p.yaml", "--json", "--quiet", "--no-preflight")
		c.wantCode(t, c.code(t, c.Run()), exitOK, exitInvalid)
		s := c.summary(t)
		if s.Counts.OK != 50 || s.Cold.Marked != 50 {
			t.Errorf("%s: ok %d, marked %d of 50", cold, s.Counts.OK, s.Cold.Marked)
			continue
		}
		// Answers may overtake each other on the way, so that not the first of an
		// instance is read first: it is one all the same.
		if *s.Cold.Truth != 5 {
			t.Errorf("%s: %d cold, want 5", cold, *s.Cold.Truth)
		}
	}
	bad := loadgen(t, fmt.Sprintf(profile, server.URL, "{json: 'a..b', instance_id: {cookie: x}}"), "check", "p.yaml")
	bad.wantCode(t, bad.code(t, bad.Run()), exitUsage)
	for _, want := range []string{"a..b", "only one of header, json and instance_id", "(known: header, json)"} {
		if !strings.Contains(bad.stderr.String(), want) {
			t.Errorf("%q is not in:\n%s", want, bad.stderr.String())
		}
	}
}
