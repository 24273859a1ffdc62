package request

import (
	"bytes"
	"compress/gzip"
	"testing"

	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/response"
)

func TestChecks(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`{"a":{"b":[1,{"c":"x"}]}}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, expect, body, encoding string
		ok                           bool
	}{
		{"contains", "{contains: ell}", "hello", "", true},
		{"contains not", "{contains: elo}", "hello", "", false},
		{"matches", "{matches: '^h.*o$'}", "hello", "", true},
		{"matches not", "{matches: '^e'}", "hello", "", false},
		{"both", "{contains: h, matches: z}", "hello", "", false},
		{"json", "{json: {'a.b[1].c': x, 'a.b[0]': 1.0}}", `{"a":{"b":[1,{"c":"x"}]}}`, "", true},
		{"json, text is no number", "{json: {a: '1'}}", `{"a":1}`, "", false},
		{"json, truth value", "{json: {a: true}}", `{"a":true}`, "", true},
		{"json, no such item", "{json: {'a[3]': 1}}", `{"a":[1]}`, "", false},
		{"json, root list", "{json: {'[0]': 1}}", `[1]`, "", true},
		{"no json", "{json: {a: 1}}", `<a>`, "", false},
		{"C09 gzip is undone", "{json: {'a.b[1].c': x}}", packed.String(), "gzip", true},
		{"C09 gzip on a plain body", "{contains: hello}", "hello", "gzip", false},
		{"C09 truncated gzip", "{contains: a}", packed.String()[:packed.Len()-9], "gzip", false},
		{"unknown encoding", "{contains: hello}", "hello", "br", false},
	} {
		s, err := Compile(config("http://h", parse(t, "{expect: {body: "+c.expect+"}}")))
		if err != nil {
			t.Fatal(err)
		}
		e := s.Sources().Request(transport.Ticket{}).Expect
		if e.Keep != keptBody {
			t.Errorf("%s: keeps %d bytes", c.name, e.Keep)
		}
		if got := e.Body(response.Body{Bytes: []byte(c.body), Whole: true, Encoding: c.encoding}); got != c.ok {
			t.Errorf("%s: %t, want %t", c.name, got, c.ok)
		}
	}
}

func TestExpectations(t *testing.T) {
	t.Parallel()
	same, other := parse(t, "{expect: {status: [404, 2xx], max_body: 100B}}"), parse(t, "{}")
	s, err := Compile(config("http://h", same, other, same))
	if err != nil {
		t.Fatal(err)
	}
	at := func(f int32) *response.Expectation { return s.Sources().Request(transport.Ticket{Function: f}).Expect }
	if at(0) != at(2) || at(0) == at(1) {
		t.Error("equal expectations are not shared, or others are")
	}
	if e := at(0); !e.Status.Has(404) || !e.Status.Has(299) || e.Status.Has(403) || e.MaxBody != 100 || e.Keep != 0 {
		t.Errorf("%+v", e)
	}
	if e := at(1); !e.Status.Has(204) || e.Status.Has(404) || e.Body != nil {
		t.Errorf("%+v", e)
	}
}
