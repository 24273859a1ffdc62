package profiles

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExchange(t *testing.T) {
	t.Parallel()
	text := `request:
  method: POST
  path: /x?i={{index}}&api_key=hunter2
  headers: ["X-A: {{csv.a b}}-${HOME_SECRET}", "Authorization: Bearer ${TOKEN}", "X-Token: hunter2"]
  body: {file: b.json, template: true}
  csv: {file: rows.csv, order: shuffle}
  counter: {start: -5, step: 2}
  auth: {basic: {user: me, password: hunter2}}
  expect: {status: [200, 3xx, 404-410], body: {contains: ok, matches: "a+", json: {"items[0].id": 7, name: "7", on: true}}, max_body: 1MB}
  follow: 0
functions: [{name: a}, {name: b, request: {body: "", headers: [], auth: none, expect: {}, counter: {}}}, {name: c, request: {body: {base64: aGk=}, auth: {sigv4: {service: lambda, region: eu, access_key: AKhunter2, secret_key: hunter2}}}}]
`
	p, err := Parse("p.yaml", []byte(small+text), nil)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, p)
	want := Expect{
		Status: []Status{{200, 200}, {300, 399}, {404, 410}}, Contains: "ok", Matches: "a+",
		JSON: []Field{{"items[0].id", "7"}, {"name", `"7"`}, {"on", "true"}}, MaxBody: 1e6,
	}
	if diff := cmp.Diff(want, p.Request.Expect); diff != "" {
		t.Error(diff)
	}
	if f := p.Functions[1].Request; f.Body != (Body{}) || f.Auth != (Auth{}) || !f.Expect.isZero() || f.Counter != defaultCounter {
		t.Errorf("%+v is not emptied", f)
	}
	shown := string(p.Redacted().YAML())
	if strings.Contains(shown, "hunter2") || !strings.Contains(shown, "Bearer ${TOKEN}") {
		t.Errorf("redacted:\n%s", shown)
	}
	if _, err := Parse("p.yaml", []byte(shown), nil); err != nil {
		t.Errorf("the redacted profile does not parse: %v", err)
	}
}

func TestExchangeFaults(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`{path: "/{{idx}}"}`:                     "request.path: {{idx}} is no placeholder (known: {{index}}",
		`{path: "/{{index}"}`:                    "{{ without }}",
		`{headers: ["A: {{random.0}}"]}`:         "{{random.0}}: want a number of characters from 1 to 4096",
		`{headers: ["A: ${B"]}`:                  "${ without the name",
		`{body: {}}`:                             "want text, {file: NAME} or {base64: TEXT}",
		`{body: {base64: "%"}}`:                  "not base64",
		`{body: {base64: aGk=, template: true}}`: "template goes with a file",
		`{csv: {order: random}}`:                 "missing key file",
		`{auth: {basic: {user: me}}}`:            "missing key password",
		`{auth: basic}`:                          "basic needs parameters",
		`{auth: {digest: {}}}`:                   `unknown kind of auth "digest"`,
		`{auth: {bearer: "${1}hunter2"}}`:        "request.auth.bearer: ${ without the name",
		`{auth: {bearer: 5}}`:                    "expected text",
		`{expect: {status: [20]}}`:               `"20" is no status`,
		`{expect: {status: 600}}`:                `"600" is no status`,
		`{expect: {body: {matches: "("}}}`:       "missing closing",
		`{expect: {body: {json: {"a..b": 1}}}}`:  `"a..b" is no path`,
		`{expect: {max_body: 0B}}`:               "must be above 0",
		`{follow: 3}`:                            "redirects are not followed",
		`{counter: {step: 1.5}}`:                 "request.counter.step",
	} {
		_, err := Parse("p.yaml", []byte(small+"request: "+request+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want %q", request, err, want)
		}
	}
}

func TestParseTemplate(t *testing.T) {
	t.Parallel()
	got, err := ParseTemplate("a{{index}}{{{{b}}$${c${D}{{csv.e.f}}", true)
	want := []Part{{Text: "a"}, {Place: IndexPlace}, {Text: "{{b}}${c"}, {Place: SecretPlace, Name: "D"}, {Place: CSVPlace, Name: "e.f"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := ParseTemplate("${x", false); err != nil || len(got) != 1 || got[0].Text != "${x" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRedactArgument(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"https://me:hunter2@h/x?token=hunter2&a=1": "https://redacted@h/x?token=redacted&a=1",
		"--set":                                        "--set",
		"target.proxy=http://me:hunter2@p:1":           "target.proxy=http://redacted@p:1",
		"request.auth.basic.password=hunter2":          "request.auth.basic.password=redacted",
		"--set=request.auth={bearer: hunter2}":         "--set=redacted",
		"request.headers=[\"Authorization: hunter2\"]": "request.headers=redacted",
		"request.auth.bearer=${TOKEN}":                 "request.auth.bearer=${TOKEN}",
		"target.tls.key=k.pem":                         "target.tls.key=k.pem",
		"--url=http://h/x?a=b":                         "--url=http://h/x?a=b",
		"phases.spike.rate=3/s":                        "phases.spike.rate=3/s",
	} {
		if got := RedactArgument(arg); got != want {
			t.Errorf("%s is shown as %s, want %s", arg, got, want)
		}
	}
}
