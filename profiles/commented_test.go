package profiles

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommentedIsTheSameProfile(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"functions": "target: {url: 'http://h'}\nrequest: {headers: ['A: b'], timeout: 2s}\n" +
			"functions: [{name: a, weight: 2, request: {path: /a}}, {name: b, request: {headers: []}}]\n" +
			"phases: [{name: a, rate: 1/s, for: 1s}]\n",
		"times": "target: {url: 'http://h'}\narrivals: {times: [0s, 1.5s]}\n",
	}
	for _, info := range Embedded() {
		data, _ := EmbeddedYAML(info.Name)
		sources[info.Name] = string(data)
	}
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Parse(name+".yaml", []byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			short := p.Commented("top\nsecond", map[string]string{"phases": "when", "target.url": "where"})
			again, err := Parse("again.yaml", short, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, short)
			}
			if diff := cmp.Diff(string(p.YAML()), string(again.YAML())); diff != "" {
				t.Errorf("%s\n%s", diff, short)
			}
			if !strings.HasPrefix(string(short), "# top\n# second\nname: ") || len(short) > len(p.YAML())+60 {
				t.Errorf("not shorter:\n%s", short)
			}
		})
	}
}

func TestVariableInAPath(t *testing.T) {
	t.Parallel()
	p, err := Parse("p.yaml", []byte("target: {url: 'http://h'}\nrequest: {path: '/a?api_key=${KEY}&token=abc'}\nphases: [{name: a, rate: 1/s, for: 1s}]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Redacted().Request.Path, "/a?api_key=${KEY}&token=redacted"; got != want {
		t.Errorf("redacted %q, want %q", got, want)
	}
	if _, err := Parse("p.yaml", []byte("target: {url: 'http://h/${A B}'}\nphases: [{name: a, rate: 1/s, for: 1s}]\n"), nil); err == nil || !strings.Contains(err.Error(), "$${") {
		t.Errorf("%v: a variable's name has no blank", err)
	}
}
