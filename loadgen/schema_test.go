package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"edgebench/profiles"
)

var update = flag.Bool("update", false, "write generated files anew")

// The page of keys is what the command prints, so that nobody edits it.
func TestProfileReferenceIsNotStale(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	if code := execute(context.Background(), []string{"schema", "profile", "--markdown"}, &out, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	page := filepath.Join("..", "docs", "profile-reference.md")
	if *update {
		if err := os.WriteFile(page, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, out.Bytes()) {
		t.Errorf("%s is stale: go test ./loadgen -run Reference -update", page)
	}
}

// With the registry of policies in it, the schema takes what is embedded and
// refuses names that nobody registered.
func TestSchemaKnowsPolicies(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	if code := execute(context.Background(), []string{"schema", "profile"}, &out, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		return s.Validate(textKeys(v))
	}
	for _, info := range profiles.Embedded() {
		text, _ := profiles.EmbeddedYAML(info.Name)
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
	first, err := firstProfile("mine.yaml", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(first); err != nil {
		t.Errorf("init: %v", err)
	}
	for _, bundled := range []string{"{policy: emwa}", "{policy: {ewma: {kk: 1}}}", "{policy: {static: {k: 1}}}", "{policy: {ewma: {k: many}}}"} {
		text := strings.Replace(tiny, "{bundled: {policy: {static: {}}, workers: 2, service: 5ms, tick: 200ms, heap: 1MB, max_workers: 8}}", "{bundled: "+bundled+"}", 1)
		if validate([]byte(text)) == nil {
			t.Errorf("the schema takes %s", bundled)
		}
	}
}

// textKeys is a tree as JSON has it: a cycle's number is a name there.
func textKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			v[k] = textKeys(item)
		}
	case []any:
		for i, item := range v {
			v[i] = textKeys(item)
		}
	case map[any]any:
		m := map[string]any{}
		for k, item := range v {
			text, err := yaml.Marshal(k)
			if err == nil {
				m[strings.TrimSpace(string(text))] = textKeys(item)
			}
		}
		return m
	}
	return v
}
