package profiles

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// everyForm are the forms that every-key.yaml has no room for.
var everyForm = map[string]string{
	"url":      "target: {url: 'https://h.example/x?y', tls: {ca: ca.pem, server_name: h}, resolve: ['::1', 10.0.0.1], dns_ttl: 5s, connect_timeout: 1m, keep_alive: false, transport: client}\nphases: [{name: a, rate: 1/s, count: 9}]\n",
	"proxy":    "target: {url: 'http://h.example', proxy: 'http://u:p@h:3128', connect_to: 'h:80', family: 4, name_server: '10.0.0.1:53'}\nphases: [{name: a, rate: 1/s, for: 1s}]\n",
	"request":  "request: {headers: {A: b, C: 1}, body: {file: f, template: true}, csv: {file: c.csv, order: shuffle}, counter: {start: -5, step: 2}, auth: {basic: {user: u, password: '${P}'}}, expect: {status: [200, 2xx, 200-204], body: {contains: x, json: {'a[0].b': done, n: 3, t: true}}, max_body: 1MB}, follow: 0}\n" + small,
	"sigv4":    "request: {auth: {sigv4: {service: lambda, region: r, access_key: '${A}', secret_key: '${B}', session_token: '${C}'}}, body: {base64: aGk=}, csv: c.csv, expect: {status: 404}}\n" + small,
	"rates":    "target: {bundled: {miss: {oneoff: {after: 1s}}, work: cpu, policy: {kpa: {stable_window: 6, x: true}}}}\nphases:\n- {name: a, rate: {sine: {mean: 20/s, amplitude: 10/s, period: 60s, offset: 15s}}, for: 1s}\n- {name: b, rate: {steps: [{rate: 2/s, for: 10s}, {rate: 0, for: 1s}]}, for: 1s}\n",
	"mmpp":     "arrivals: {mmpp: {rates: [1, 4], dwell: [10s, 2s]}}\nlate: {drop: {after: 20ms}}\nrows: all\nprecision: spin\ncold: {instance_id: {json: a.b}}\n" + small,
	"times":    "target: {bundled: {}}\narrivals: {times: [0s, 250ms]}\n",
	"replay":   "target: {bundled: {}}\narrivals: {replay: {run: runs/x, speed: 2, scale: 0.5}}\n",
	"trace":    "target: {bundled: {}}\narrivals: {trace: {azure2019: {invocations: i.csv}, select: {sample: 20, seed: 3}, from: 1h, for: 1h, column: 1s, spacing: uniform, shift: false}}\n",
	"function": "functions: [{name: a, weight: 3, service: 20ms}, {name: b, request: {path: /b}}]\nstreams: own\nthresholds: ['response.p99 < 1s']\n" + small,
}

var everyBatchForm = "name: b\nprofiles: [bursty-ramp]\npolicies: [ewma, kpa]\nsets: ['seed=3']\nvariants: {fast: ['target.bundled.tick=1s']}\ntrials: 3\nseed: 2\ncooldown: 2s\nretries: 0\ndeadline: '06:30'\nmax_invalid: 0.1\n"

func compile(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	text, err := both[kind].schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(kind + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainValue is a tree as an editor hands it to a validator.
func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plainValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, plainValue(c))
		}
		return list
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		return json.Number(n.Value)
	}
	return n.Value
}

// corpus is texts that the parser takes.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, info := range Embedded() {
		texts[info.Name], _ = EmbeddedYAML(info.Name)
	}
	for name, text := range everyForm {
		texts[name] = []byte(text)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "every-key.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	texts["every-key"] = data
	for name, text := range texts {
		p, err := Parse(name+".yaml", text, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts[name+" resolved"] = p.YAML()
	}
	return texts
}

func treeOf(t *testing.T, text []byte) *yaml.Node {
	t.Helper()
	root, faults := source{}.readTree(text)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return root
}

func TestSchemaTakesWhatTheParserTakes(t *testing.T) {
	t.Parallel()
	profile, batch := compile(t, "profile"), compile(t, "batch")
	for name, text := range corpus(t) {
		if err := profile.Validate(plainValue(treeOf(t, text))); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if _, err := ParseBatch("b.yaml", []byte(everyBatchForm)); err != nil {
		t.Fatal(err)
	}
	if err := batch.Validate(plainValue(treeOf(t, []byte(everyBatchForm)))); err != nil {
		t.Error(err)
	}
}

// Each key misspelt in turn, and each value replaced by a mapping, is refused by
// both; the schema refuses nothing that the parser takes.
func TestSchemaRefusesWhatTheParserRefuses(t *testing.T) {
	t.Parallel()
	texts := map[string][]byte{"every-key": corpus(t)["every-key"]}
	for name, text := range everyForm {
		texts[name] = []byte(text)
	}
	validator, tried := compile(t, "profile"), 0
	check := func(name, change string, root *yaml.Node) {
		t.Helper()
		tried++
		_, parser := Parse("p.yaml", document(root), nil)
		err := validator.Validate(plainValue(treeOf(t, document(root))))
		if (err == nil) != (parser == nil) {
			t.Errorf("%s, %s: schema %v, parser %v", name, change, err, parser)
		}
	}
	for name, text := range texts {
		root := treeOf(t, text)
		mutate(root, "", func(path, change string) {
			if freeNames.MatchString(path) {
				return
			}
			check(name, path+": "+change, root)
		})
	}
	if tried < 300 {
		t.Errorf("%d changes tried", tried)
	}
}

// freeNames are keys that only the rest of the profile, or nobody, has to know.
var freeNames = regexp.MustCompile(`^cycles\.override\.\d+\.\w+$|^request\.headers\.|\.body\.json\.|\.policy\.\w+\.\w+$|\.policy\.\w+$`)

// mutate changes one key or value at a time, and puts it back.
func mutate(n *yaml.Node, path string, try func(path, change string)) {
	for i, c := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		at := path + "[" + strconv.Itoa(i) + "]"
		if n.Kind == yaml.MappingNode {
			at = strings.TrimPrefix(path+"."+n.Content[i&^1].Value, ".")
		}
		was := *c
		if isKey {
			c.Value, c.Tag = was.Value+"q", "!!str"
			try(at, "misspelt")
		} else {
			*c = *tree(stranger, integer(1))
			try(at, "a mapping of what nobody knows")
		}
		*c = was
		mutate(c, at, try)
	}
}
