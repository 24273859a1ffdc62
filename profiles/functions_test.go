package profiles

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const several = small + `streams: own
request: {method: POST, path: /invoke, headers: ["A: 1"], body: x}
functions:
  - {name: a, weight: 3, service: 200ms}
  - {name: b, request: {path: /b, headers: ["x-service: 1s"], body: ""}, service: 10ms}
  - {name: c, request: {method: GET, headers: []}}
`

func TestFunctionsOverrideTheRequest(t *testing.T) {
	t.Parallel()
	p, err := Parse("p.yaml", []byte(several), nil)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, p)
	s, err := p.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	a := Header{"A", "1", "A: 1"}
	want := []Request{
		{Method: "POST", Path: "/invoke", Body: Body{Text: "x"}, Timeout: 10 * time.Second, Counter: defaultCounter, Headers: []Header{a, {"X-Service", "200ms", "X-Service: 200ms"}}},
		{Method: "POST", Path: "/b", Timeout: 10 * time.Second, Counter: defaultCounter, Headers: []Header{{"x-service", "1s", "x-service: 1s"}}},
		{Method: "GET", Path: "/invoke", Body: Body{Text: "x"}, Timeout: 10 * time.Second, Counter: defaultCounter},
	}
	if diff := cmp.Diff(want, p.Requests(s)); diff != "" {
		t.Error(diff)
	}
	if got := s.Functions(); len(got) != 3 || got[0].Share != 0.6 || got[0].Service != 200*time.Millisecond || got[2].Name != "c" {
		t.Errorf("functions %+v", got)
	}
	one, err := Parse("p.yaml", []byte(small), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = one.Schedule(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Request{one.Request}, one.Requests(s)); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsOfFunctions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"functions: []":                             "no functions",
		"functions: 3":                              "expected a list",
		"functions: [{weight: 1}]":                  "missing key name",
		"functions: [{name: a, weight: 0}]":         "functions[0].weight: 0 is not above 0",
		"functions: [{name: a, weight: 1e10}]":      "at most 1e+09",
		"functions: [{name: a, service: 0s}]":       "must be above 0",
		"functions: [{name: a}, {name: a}]":         `functions[1].name: "a" is the name of functions[0] too`,
		"functions: [{name: 'a b'}]":                "letters, digits",
		"functions: [{name: a, path: /x}]":          "functions[0].path: unknown key",
		"functions: [{name: a, request: {pth: 1}}]": "functions[0].request.pth",
	} {
		_, err := Parse("p.yaml", []byte(small+text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v lacks %q", text, err, want)
		}
	}
}

func TestSecretsOfFunctionsAreRedacted(t *testing.T) {
	t.Parallel()
	p, err := Parse("p.yaml", []byte(small+"functions: [{name: a, request: {headers: ['Authorization: hush']}}]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(p.Redacted().YAML()); strings.Contains(text, "hush") {
		t.Error(text)
	}
	if !strings.Contains(string(p.YAML()), "hush") {
		t.Error("redaction changed the profile itself")
	}
}
