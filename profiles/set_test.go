package profiles

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// setBase has both a policy by name and phases to address.
const setBase = `
target: {bundled: {policy: ewma, miss: queue}}
request: {path: /invoke}
phases:
  - {name: warmup, rate: 2/s, for: 8s}
  - {name: spike, rate: 30/s, for: 5s}
`

func sets(t *testing.T, texts ...string) []Set {
	t.Helper()
	var out []Set
	for _, text := range texts {
		s, err := ParseSet(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func TestSets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		sets  []string
		check func(p *Profile) (got, want any)
	}{
		{"a key that is missing", []string{"seed=7"},
			func(p *Profile) (any, any) { return p.Seed, uint64(7) }},
		{"the last one wins", []string{"seed=7", "seed=8"},
			func(p *Profile) (any, any) { return p.Seed, uint64(8) }},
		{"deep", []string{"target.bundled.tick=1s"},
			func(p *Profile) (any, any) { return p.Target.Bundled.Tick, time.Second }},
		{"another policy", []string{"target.bundled.policy=static", "target.bundled.workers=15"},
			func(p *Profile) (any, any) {
				return []any{p.Target.Bundled.Policy, p.Target.Bundled.Workers}, []any{Policy{Name: "static"}, 15}
			}},
		{"a parameter of a policy that is a bare name", []string{"target.bundled.policy.ewma.k=75"},
			func(p *Profile) (any, any) {
				return p.Target.Bundled.Policy, Policy{Name: "ewma", Params: map[string]float64{"k": 75}}
			}},
		{"the policy that is there keeps its parameters", []string{"target.bundled.policy={ewma: {k: 75}}", "target.bundled.policy=ewma"},
			func(p *Profile) (any, any) {
				return p.Target.Bundled.Policy, Policy{Name: "ewma", Params: map[string]float64{"k": 75}}
			}},
		{"unless it is given none", []string{"target.bundled.policy={ewma: {k: 75}}", "target.bundled.policy={ewma: {}}"},
			func(p *Profile) (any, any) { return p.Target.Bundled.Policy.Params, map[string]float64(nil) }},
		{"a switch of a policy", []string{"target.bundled.policy={ewma: {reset: false, headroom: 0.1}}"},
			func(p *Profile) (any, any) {
				return p.Target.Bundled.Policy, Policy{Name: "ewma", Params: map[string]float64{"reset": 0, "headroom": 0.1}}
			}},
		{"a switch, on", []string{"target.bundled.policy.ewma.reset=True"},
			func(p *Profile) (any, any) { return p.Target.Bundled.Policy.Params["reset"], 1.0 }},
		{"a kind with parameters over a bare name", []string{"target.bundled.miss.oneoff.after=200ms"},
			func(p *Profile) (any, any) {
				return p.Target.Bundled.Miss, Miss{Kind: "oneoff", After: 200 * time.Millisecond}
			}},
		{"a flow mapping", []string{"arrivals={h2: {p: 0.2, scv: 2.125}}"},
			func(p *Profile) (any, any) { return p.Arrivals.Params.Number("scv"), 2.125 }},
		{"a phase by index", []string{"phases[1].for=6s"},
			func(p *Profile) (any, any) { return p.Phases[1].For, 6 * time.Second }},
		{"a phase by name", []string{"phases.spike.rate={from: 1/s, to: 2/s}"},
			func(p *Profile) (any, any) { return p.Phases[1].Rate, Rate{From: 1, To: 2} }},
		{"a cycle's override from nothing", []string{"cycles.count=2", "cycles.override.2.warmup.for=35s"},
			func(p *Profile) (any, any) {
				d := 35 * time.Second
				return p.Cycles.Overrides, []Override{{Cycle: 2, Phase: "warmup", For: &d}}
			}},
		{"a url instead of the bundled node", []string{"target.url=http://h:8080/"},
			func(p *Profile) (any, any) {
				return []any{p.Target, p.Request.Path}, []any{Target{URL: "http://h:8080"}, "/invoke"}
			}},
		{"a url's path over the file's", []string{"target.url=http://h/other?x=1"},
			func(p *Profile) (any, any) { return p.Request.Path, "/other?x=1" }},
		{"a whole target", []string{"target={url: 'http://h'}"},
			func(p *Profile) (any, any) { return p.Target, Target{URL: "http://h"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse("base.yaml", []byte(setBase), sets(t, tt.sets...))
			if err != nil {
				t.Fatal(err)
			}
			got, want := tt.check(p)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASetPathWinsOverAFilesURL(t *testing.T) {
	t.Parallel()
	text := "target: {url: 'http://h/a'}\nphases: [{name: a, rate: 1/s, for: 1s}]\n"
	p, err := Parse("p.yaml", []byte(text), sets(t, "request.path=/b"))
	if err != nil || p.Request.Path != "/b" {
		t.Errorf("path %q, %v", p.Request.Path, err)
	}
	p, err = Parse("p.yaml", []byte(text), sets(t, "target.bundled.tick=1s"))
	if err != nil || p.Target.URL != "" || p.Target.Bundled == nil || p.Request.Path != "/invoke" {
		t.Errorf("bundled instead of the url: %+v, %v", p, err)
	}
}

func TestSetFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sets []string
		want string
	}{
		{"a bad value", []string{"target.bundled.tick=30"},
			"--set target.bundled.tick: 30: missing unit, write for example 30s or 30ms"},
		{"a bad value below", []string{"phases.spike={name: spike, rate: 3, for: 1s}"},
			"--set phases.spike: phases[1].rate: 3: missing unit, write for example 3/s, 3/m or 3/h"},
		{"an unknown key", []string{"target.bundled.polcy=static"},
			`--set target.bundled.polcy: unknown key "polcy", did you mean policy?`},
		{"no such index", []string{"phases[2].for=1s"}, "--set phases[2].for: there is no item [2]"},
		{"no such phase", []string{"phases.spyke.for=1s"}, `--set phases.spyke.for: unknown item "spyke", did you mean spike?`},
		{"not a path", []string{"a..b=1"}, `--set a..b: "a..b" is not a key path, write for example target.bundled.tick or phases[2].rate`},
		{"a path into the abyss", []string{"a" + strings.Repeat(".a", 20) + "=1"}, "is deeper than any profile"},
		{"no value", []string{"seed="}, "--set seed: empty"},
		{"not YAML", []string{"seed=[1"}, "--set seed: not YAML: line 1: did not find expected ',' or ']'"},
		{"an alias", []string{"seed=*x"}, "--set seed: not YAML: unknown anchor 'x' referenced"},
		{"two documents", []string{"seed=1\n---\n2"}, "--set seed: a second document: a profile is one"},
		{"both targets", []string{"target.url=http://h/", "target.bundled.policy=static"}, "--set target.url: a target is either bundled or a url"},
		{"two paths", []string{"target.url=http://h/a", "request.path=/b"}, "--set request.path: the target's url has a path too (/a): give one of them"},
		{"half a ramp", []string{"phases.spike.rate.to=3/s"}, "--set phases.spike.rate.to: phases[1].rate: missing key from"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("base.yaml", []byte(setBase), sets(t, tt.sets...))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "base.yaml") {
				t.Errorf("error %v\nwant %v", err, tt.want)
			}
		})
	}
	for _, text := range []string{"", "seed", "=1"} {
		if s, err := ParseSet(text); err == nil {
			t.Errorf("ParseSet(%q) = %v", text, s)
		}
	}
}

func TestFaultsOfFileAndSetsTogether(t *testing.T) {
	t.Parallel()
	_, err := Parse("base.yaml", []byte(setBase+"lat: send\n"), sets(t, "seed=-1"))
	want := "base.yaml:7:1: lat: unknown key \"lat\", did you mean late?\n--set seed: -1 is below 0"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %v", err, want)
	}
}

func TestOneLiner(t *testing.T) {
	t.Parallel()
	p, err := OneLiner("http://127.0.0.1:8080/x", "200/s", "10s", sets(t, "seed=3"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule()
	if err != nil || s.Expected() != 2000 || p.Seed != 3 || p.Request.Path != "/x" || p.Target.URL != "http://127.0.0.1:8080" || p.Name != "url" {
		t.Errorf("%+v (%v)", p, err)
	}
	_, err = OneLiner("h:8080", "200", "10", sets(t, "sede=1"))
	want := []string{
		`--url: "h:8080" has no scheme, write http://… or https://…`,
		"--rate: 200: missing unit, write for example 200/s, 200/m or 200/h",
		"--duration: 10: missing unit, write for example 10s or 10ms",
		`--set sede: unknown key "sede", did you mean seed?`,
	}
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
	if _, err := OneLiner("http://h", "0/s", "10s", nil); err == nil {
		t.Error("a rate of 0 was accepted")
	}
}

// Any URL that is accepted splits into parts that are accepted as the same again.
func FuzzOneLiner(f *testing.F) {
	f.Add("http://127.0.0.1:8080/x?y", "200/s", "10s", "body")
	f.Add("https://u:p%40@[fe80::1%25eth0]:443/a b?c d", "0.1/m", "1d", "a\nb: [\x00")
	f.Add("http://\u4e16/%2F?", "2k/s", "1m30s", "'")
	f.Fuzz(func(t *testing.T, url, rate, duration, body string) {
		p, err := OneLiner(url, rate, duration, []Set{{"request.method", "POST"}, {"request.body", body}})
		if err == nil {
			roundTrip(t, p)
		}
	})
}
