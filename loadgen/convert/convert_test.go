package convert

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgebench/profiles"
)

// made converts a text and reads the profile.
func made(t *testing.T, text, format string, o Options) (*profiles.Profile, *Result) {
	t.Helper()
	o.File = "in"
	r, err := Convert(strings.NewReader(text), format, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Parse("p.yaml", r.Profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// notes of a result, one a line.
func notes(r *Result) string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(n.At + ": " + n.Text + "\n")
	}
	return b.String()
}

// A faulty text and what has to be said of it, all at once.
type faulty struct {
	name, format, text string
	options            Options
	want               []string
}

func (f faulty) check(t *testing.T) {
	t.Parallel()
	f.options.File = "in"
	r, err := Convert(strings.NewReader(f.text), f.format, f.options)
	var faults profiles.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("%v, %v: want faults", r, err)
	}
	for _, want := range f.want {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in\n%v", want, err)
		}
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"curl http://h":                              "curl",
		"$ A=b /usr/bin/curl -v http://h":            "curl",
		"# a comment\n\ncurl \\\n http://h":          "curl",
		`{"log": {"version": "1.2", "entries": []`:   "har",
		"\ufeff{\"log\": {}}":                        "har",
		"GET http://h/":                              "vegeta",
		"# targets\n\nPOST https://h/\n@body":        "vegeta",
		`{"method": "GET", "url": "http://h/"}`:      "vegeta",
		`{"header": {}, "url": "u", "method": "GET"`: "vegeta",
		`{"scenarios": {"a": {"executor": "x"`:       "k6",
		`{"thresholds": {}}`:                         "k6",
		"curling":                                    "",
		`{"name": "p"}`:                              "",
		"name: p":                                    "",
	} {
		got := ""
		for _, f := range Formats() {
			if f.guess([]byte(text)) {
				got = f.Name
				break
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestVegeta(t *testing.T) {
	t.Parallel()
	both := map[string]string{
		"http": "# a comment\nGET http://h:81/a?token=t1\nX-A: b\n\nPOST http://h:81/b\nCookie: c=d\n@body.json\nGET http://h:81/a?token=t1\nX-A: b\n",
		"json": `{"method":"GET","url":"http://h:81/a?token=t1","header":{"X-A":["b"]}}` + "\n" +
			`{"method":"POST","url":"http://h:81/b","header":{"Cookie":["c=d"]},"body":"e30="}` + "\n\n" +
			`{"method":"GET","url":"http://h:81/a?token=t1","header":{"X-A":["b"]}}` + "\n",
	}
	for name, text := range both {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := made(t, text, "", Options{Rate: "50/s", Duration: "1m"})
			if len(p.Functions) != 2 || p.Functions[0].Weight != 2 || p.Functions[1].Weight != 1 {
				t.Fatalf("functions %+v", p.Functions)
			}
			a, b := p.Functions[0].Request, p.Functions[1].Request
			if a.Path != "/a?token=${TOKEN}" || a.Headers[0].Line != "X-A: b" || b.Method != "POST" || b.Headers[0].Line != "Cookie: ${COOKIE}" {
				t.Errorf("%+v\n%+v", a, b)
			}
			if body := b.Body; name == "http" && body.File != "body.json" || name == "json" && body.Text != "{}" {
				t.Errorf("body %+v", body)
			}
			if diff := cmp.Diff([]profiles.Phase{{Name: "load", Rate: profiles.Rate{From: 50, To: 50}, For: time.Minute}}, p.Phases); diff != "" {
				t.Error(diff)
			}
			if len(r.Secrets) != 2 || !strings.Contains(notes(r), "order is not kept") {
				t.Errorf("%v\n%s", r.Secrets, notes(r))
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range []faulty{
		{name: "vegeta http", format: "vegeta", text: "X-A: b\n\nGET http://h/\nnonsense\n@\nGET ftp://h/\nGET http://h:0/\n", want: []string{"in:1:1: ", "in:4:1: \"nonsense\"", "in:5:1: @ without", "in:6:1: \"ftp\"", "in:7:1: ", "port 0"}},
		{name: "vegeta json", format: "vegeta", text: `{"method":"GET"}` + "\n" + `{"method":1,"url":"http://h/","header":{"A":"b"},"body":"%"}` + "\n{\"method\"", want: []string{"in:1:1: url: want text", "in:2:41: header A", "in:2:50: body: not base64", "in:3:10: the JSON ends"}},
		{name: "two hosts", format: "vegeta", text: "GET http://h/\nGET http://i/\n", want: []string{"in:2:1: http://i: a profile has one target"}},
		{name: "nothing", format: "vegeta", text: "# only a comment\n", want: []string{"no request in it"}},
		{name: "k6 without rates", format: "k6", text: `{"stages": [{"duration": "1m", "target": 3}], "vus": 3}`, want: []string{"in:1:1: no scenario", "in:1:2: stages", "in:1:47: vus"}},
		{name: "k6 broken", format: "k6", text: "{\n \"scenarios\": {]}", want: []string{"in:2:16: invalid character ']'", "k6 inspect"}},
		{name: "k6 scenarios", format: "k6", text: `{"scenarios": {"a": {}, "b": {"executor": "constant-arival-rate"}, "c": {"executor": "constant-arrival-rate", "rate": -1, "timeUnit": "0s"}}}`,
			want: []string{"in:1:16: scenario a: missing key executor", "in:1:31: scenario b: unknown executor \"constant-arival-rate\", did you mean", "scenario c: rate is no number", "scenario c: timeUnit must be above 0", "scenario c: missing key duration"}},
		{name: "k6 with a rate", format: "k6", text: `{"scenarios": {}}`, options: Options{Rate: "1/s"}, want: []string{"--rate: the scenarios have"}},
		{name: "har cut off", format: "har", text: `{"log": {"entries": [{"request": {"method": "GET", "url": "http://h/"`, want: []string{"byte ", "no entry read yet", "ends in the middle"}},
		{name: "har of something else", format: "har", text: `{"log": []}`, want: []string{"[ where { should be"}},
		{name: "har without entries", format: "har", text: `{"log": {"version": "1.2"}}`, want: []string{"no log.entries"}},
		{name: "har of nobody", format: "har", text: `{"log": {"entries": []}}`, want: []string{"no request in it"}},
		{name: "har of several", format: "har", text: archive(entry(0, "http://a/"), entry(1, "http://b/"), entry(2, "http://b/x")), want: []string{"choose with --host", "2  http://b", "1  http://a"}},
		{name: "har of another", format: "har", text: archive(entry(0, "http://a/")), options: Options{Host: "c"}, want: []string{"no request goes to c", "1  http://a"}},
		{name: "curl of a shell", format: "curl", text: "for u in a b; do curl $u; done", want: []string{"in:1:1: \"for\" is not curl", "in:1:15: \"do\""}},
		{name: "curl of cmd.exe", format: "curl", text: "curl ^\"http://h/^\" ^\n -v", want: []string{"cmd.exe"}},
		{name: "curl without url", format: "curl", text: "curl -v", want: []string{"without a url"}},
		{name: "curl with a hostile host", format: "curl", text: "curl 'http://h\x01h/'", want: []string{"in:1:6: "}},
		{name: "curl with a line end", format: "curl", text: "curl http://h/ -H $'A: b\\nHost: evil'", want: []string{"in:1:6: request.headers[1]: ", "a header is one line"}},
		{name: "curl with other bytes", format: "curl", text: "curl http://h/ -H $'A: \\xff'", want: []string{"in:1:6: the request is not UTF-8"}},
		{name: "curl from a pipe", format: "curl", text: "curl http://h/ -d @-", want: []string{"standard input"}},
		{name: "a variable for a host", format: "curl", text: "curl http://$HOST/", want: []string{"variable of the shell ($HOST)"}},
	} {
		t.Run(f.name, f.check)
	}
}

func TestCurlNotes(t *testing.T) {
	t.Parallel()
	p, r := made(t, "curl -L --retry 3 -d @a.txt -d b=1 -K conf -F x=@f 'https://h/?p=1' -k --resolve h:443:127.0.0.1 \\\n --connect-timeout 1.5 --no-keepalive > out.txt; curl https://h/two -k --resolve h:443:127.0.0.1 --connect-timeout 1.5", "", Options{Name: "mine"})
	got := notes(r)
	for _, want := range []string{"in:1:6: -L: not carried over: redirects", "in:1:9: --retry: ", "-K: not carried over", "-F x=@f: not carried over", "in:2:24: --no-keepalive", "in:2:39: > out.txt"} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
	way := profiles.Way{TLS: profiles.TLS{Insecure: true}, Resolve: []string{"127.0.0.1"}, ConnectTimeout: 1500 * time.Millisecond}
	if diff := cmp.Diff(way, p.Target.Way); diff != "" {
		t.Error(diff)
	}
	if p.Name != "mine" || len(p.Functions) != 2 || p.Functions[1].Request.Method != "GET" {
		t.Errorf("%s", r.Profile)
	}
}

func TestK6(t *testing.T) {
	t.Parallel()
	p, r := made(t, `{"scenarios": {
		"ramp": {"executor": "ramping-arrival-rate", "startRate": 60, "timeUnit": "1m", "maxVUs": 50, "gracefulStop": "20s",
			"stages": [{"target": 600, "duration": "10s"}, {"target": 1200, "duration": 0}, {"target": 1200, "duration": 5000}]},
		"base": {"executor": "constant-arrival-rate", "rate": 2, "duration": "10s", "startTime": "20s", "preAllocatedVUs": 5},
		"users": {"executor": "ramping-vus", "stages": []}},
	  "thresholds": {"http_req_duration": ["p(95)<200", {"threshold": "avg <= 50.5", "abortOnFail": true}, "p(75)<1"],
		"http_req_failed": "rate<0.07", "http_reqs": ["count>10", "rate>=3"], "http_req_duration{scenario:a}": ["max<1"], "checks": ["rate>0.9"]}}`,
		"", Options{URL: "https://example.org/fn?x=1"})
	want := []profiles.Phase{
		{Name: "ramp", Rate: profiles.Rate{From: 1, To: 10}, For: 10 * time.Second},
		{Name: "ramp-2", Rate: profiles.Rate{From: 20, To: 20}, For: 5 * time.Second},
		{Name: "silence", For: 5 * time.Second},
		{Name: "base", Rate: profiles.Rate{From: 2, To: 2}, For: 10 * time.Second},
	}
	if diff := cmp.Diff(want, p.Phases); diff != "" {
		t.Error(diff)
	}
	bounds := []string{"service.p95 < 200ms", "service.mean <= 50.5ms", "error_rate < 7%", "counts.sent > 10", "rate.sent >= 3/s"}
	if diff := cmp.Diff(bounds, p.Thresholds); diff != "" {
		t.Error(diff)
	}
	if p.MaxInFlight != 55 || p.DrainTimeout != 20*time.Second || p.Request.Path != "/fn?x=1" {
		t.Errorf("%s", r.Profile)
	}
	for _, want := range []string{"users (ramping-vus): not carried over", "abortOnFail: not carried over", "p(75)<1: not carried over", "{scenario:a}", "checks"} {
		if !strings.Contains(notes(r), want) {
			t.Errorf("missing %q in\n%s", want, notes(r))
		}
	}
	if p, _ := made(t, `{"scenarios": {"a": {"executor": "constant-arrival-rate", "rate": 1, "duration": "1s"}}}`, "", Options{}); !p.Target.Placeholder() {
		t.Errorf("%s is a target that nobody gave", p.Target.URL)
	}
}

// Two ramps at once: the sum at every instant.
func TestPhasesAddUp(t *testing.T) {
	t.Parallel()
	s := time.Second
	got := phasesOf([]ramp{{"a", 0, 10 * s, 0, 10}, {"b", 4 * s, 6 * s, 5, 5}})
	want := []profiles.Phase{
		{Name: "a", Rate: profiles.Rate{From: 0, To: 4}, For: 4 * s},
		{Name: "k6-a-b", Rate: profiles.Rate{From: 9, To: 11}, For: 2 * s},
		{Name: "a-2", Rate: profiles.Rate{From: 6, To: 10}, For: 4 * s},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("", "curl -X POST 'http://h/a?b' -H \"A: $B\" -d $'\\x41' --json @f -u a:b | jq")
	f.Add("", "GET http://h/\nA: b\n@f\n\nPOST http://u:p@h/?token=x\n")
	f.Add("", `{"method":"GET","url":"http://h/","header":{"A":["b"]},"body":"e30="}`)
	f.Add("k6", `{"scenarios":{"a":{"executor":"ramping-arrival-rate","stages":[{"target":1,"duration":"1s"}]}},"thresholds":{"http_req_failed":["rate<0.1"]}}`)
	f.Add("har", archive(entry(0, "http://h/"), entry(1, "http://h/{{x}}?key=${y}")))
	f.Fuzz(func(t *testing.T, format, text string) {
		r, err := Convert(strings.NewReader(text), format, Options{File: "in"})
		if err != nil {
			var faults profiles.Faults
			if !errors.As(err, &faults) || err.Error() == "" {
				t.Fatalf("%v: whatever is wrong with a text is a fault of it", err)
			}
			return
		}
		if _, err := profiles.Parse("p.yaml", r.Profile, nil); err != nil {
			t.Fatalf("%v\n%s", err, r.Profile)
		}
	})
}
