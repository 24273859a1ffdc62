package profiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"edgebench/profiles/arrival/trace"
	"edgebench/profiles/schema"
)

// The parser reads keys one by one, and the schema is written beside it: here each
// is asked what the other knows. stranger resembles no key.
const stranger = "q0q0q0q0q0q0"

// A site is a place of a document, with every form that the schema has for it.
type site struct {
	path  string
	wrap  func(any) any // a value there, as a document
	forms []*schema.Schema
}

// sites walks all places below s; a mapping of free names is entered by one that
// the document has a place for.
func sites(s *schema.Schema, path string, wrap func(any) any, visit func(site)) {
	here := site{path: path, wrap: wrap, forms: s.Forms()}
	visit(here)
	for _, f := range here.forms {
		for _, p := range f.Properties {
			under(p.Schema, path, p.Name, wrap, visit)
		}
		if value, free := f.Others.(*schema.Schema); free {
			name, ok := map[string]string{"cycles.override": "1", "cycles.override.1": "a"}[path]
			if !ok {
				name = "X"
			}
			under(value, path, name, wrap, visit)
		}
		if f.Items != nil {
			sites(f.Items, path+"[0]", func(v any) any { return wrap([]any{v}) }, visit)
		}
	}
}

func under(s *schema.Schema, path, name string, wrap func(any) any, visit func(site)) {
	if path != "" {
		name = path + "." + name
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	sites(s, name, func(v any) any { return wrap(beside(name, last, v)) }, visit)
}

// beside adds what a place needs to be looked at as its key is.
func beside(path, key string, v any) map[string]any {
	m := map[string]any{key: v}
	_, isFormat := trace.FormatOf(key)
	if strings.HasPrefix(path, "arrivals.trace.") && strings.Count(path, ".") == 2 && !isFormat {
		m["azure2019"] = map[string]any{} // columns mean something to it
	}
	if path == "streams" {
		m["functions"] = []any{map[string]any{"name": "f"}}
	}
	if path == "cycles" {
		m["phases"] = []any{map[string]any{"name": "a", "rate": "1/s", "for": "1s"}}
	}
	if strings.HasSuffix(path, ".select.seed") {
		m["sample"] = 1
	}
	return m
}

// both are the two kinds of file.
var both = map[string]struct {
	schema *schema.Schema
	parse  func([]byte) error
}{
	"profile": {ProfileSchema(nil), func(data []byte) error { _, err := Parse("p.yaml", data, nil); return err }},
	"batch":   {BatchSchema(nil), func(data []byte) error { _, err := ParseBatch("b.yaml", data); return err }},
}

// at parses a document with the value there, and gives the messages about that key.
func (s site) at(t *testing.T, parse func([]byte) error, value any, key string) []string {
	t.Helper()
	data, err := json.Marshal(s.wrap(value)) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	var faults Faults
	if err := parse(data); err != nil && !errors.As(err, &faults) {
		t.Fatal(err)
	}
	var messages []string
	for _, f := range faults {
		if f.Key == key {
			messages = append(messages, f.Message)
		}
	}
	return messages
}

var knownList = regexp.MustCompile(`\(known: (.*)\)`)

// known is what a fault about the stranger says that there is.
func known(t *testing.T, path string, messages []string) map[string]bool {
	t.Helper()
	for _, m := range messages {
		if list := knownList.FindStringSubmatch(m); list != nil && strings.Contains(m, stranger) {
			if strings.HasSuffix(list[1], "…") {
				t.Fatalf("%s: the parser's list is cut short: %s", path, m)
			}
			names := map[string]bool{}
			for name := range strings.SplitSeq(list[1], ", ") {
				names[name] = true
			}
			return names
		}
	}
	t.Errorf("%s: the parser does not refuse %s by its name, it says %q", path, stranger, messages)
	return nil
}

func TestSchemaKnowsWhatTheParserKnows(t *testing.T) {
	t.Parallel()
	for kind, file := range both {
		places := 0
		sites(file.schema, "", func(v any) any { return v }, func(s site) {
			places++
			keys, words := map[string]bool{}, map[string]bool{}
			closed, open := false, false
			for _, f := range s.forms {
				for _, p := range f.Properties {
					keys[p.Name] = true
				}
				for _, w := range f.Enum {
					if word, ok := w.(string); ok {
						words[word] = true
					}
				}
				closed = closed || f.Others == false
				open = open || f.Type == "object" && f.Others != false || f.Type == "string" && f.Enum == nil
			}
			name := kind + " " + s.path
			if closed {
				var value any = map[string]any{stranger: 1}
				if s.path == "arrivals.trace" {
					value = beside(s.path+"."+stranger, stranger, 1)
				}
				key := strings.TrimPrefix(s.path+"."+stranger, ".")
				same(t, name, known(t, name, s.at(t, file.parse, value, key)), keys, words)
			}
			if len(words) > 0 && !open {
				same(t, name, known(t, name, s.at(t, file.parse, stranger, s.path)), words, keys)
			}
		})
		if least := map[string]int{"profile": 120, "batch": 12}[kind]; places < least {
			t.Errorf("%s: %d places looked at, fewer than %d", kind, places, least)
		}
	}
}

// same tells names that one of the two lacks; kinds without parameters are words and
// those with some are keys, which parsers name together.
func same(t *testing.T, place string, parser, schema, also map[string]bool) {
	t.Helper()
	for name := range parser {
		if !schema[name] && !also[name] {
			t.Errorf("%s: the parser knows %q, the schema does not", place, name)
		}
	}
	for name := range schema {
		if !parser[name] {
			t.Errorf("%s: the schema knows %q, the parser does not", place, name)
		}
	}
}

// outOfRange is how the parser words it.
var outOfRange = regexp.MustCompile(`is (below|above) \d|must be above 0|too large|not above 0|outside|is no status`)

func TestSchemaHasTheParsersBounds(t *testing.T) {
	t.Parallel()
	for kind, file := range both {
		bounds := 0
		sites(file.schema, "", func(v any) any { return v }, func(s site) {
			for _, f := range s.forms {
				inside, outside := edges(f)
				for _, v := range inside {
					for _, m := range s.at(t, file.parse, v, s.path) {
						if outOfRange.MatchString(m) {
							t.Errorf("%s %s: %v is allowed by the schema; the parser: %s", kind, s.path, v, m)
						}
					}
				}
				for _, v := range outside {
					bounds++
					if m := s.at(t, file.parse, v, s.path); !slices.ContainsFunc(m, outOfRange.MatchString) {
						t.Errorf("%s %s: %v is refused by the schema; the parser: %q", kind, s.path, v, m)
					}
				}
			}
		})
		if least := map[string]int{"profile": 60, "batch": 7}[kind]; bounds < least {
			t.Errorf("%s: %d bounds tried, fewer than %d", kind, bounds, least)
		}
	}
}

// edges are values at the bounds of a form and just beyond.
func edges(f *schema.Schema) (inside, outside []any) {
	switch {
	case f.Type == "integer":
		for bound, step := range map[json.Number]int64{f.Minimum: -1, f.Maximum: 1} {
			if n, ok := new(big.Int).SetString(string(bound), 10); ok {
				inside = append(inside, bound)
				outside = append(outside, json.Number(n.Add(n, big.NewInt(step)).String()))
			}
		}
	case f.Type == "number" && f.Maximum != "":
		inside, outside = append(inside, f.Maximum), append(outside, json.Number("2"+string(f.Maximum)))
		if f.Above != "" {
			inside, outside = append(inside, json.Number("0.5")), append(outside, f.Above)
		} else {
			inside, outside = append(inside, f.Minimum), append(outside, json.Number("-0.5"))
		}
	case f.Longest > 0:
		inside = append(inside, formatDuration(f.Shortest), formatDuration(f.Longest))
		outside = append(outside, strconv.FormatInt(int64(f.Shortest-1), 10)+"ns", formatDuration(f.Longest+time.Nanosecond))
		if f.Shortest == 1 {
			outside[0] = "0s"
		}
	case f.Largest > 0:
		inside, outside = append(inside, formatSize(f.Largest)), append(outside, fmt.Sprintf("%dB", f.Largest+1))
	}
	return inside, outside
}

// A default of the schema is one that the parser takes, and says the same.
func TestSchemaDefaultsChangeNothing(t *testing.T) {
	t.Parallel()
	plain, err := Parse("p.yaml", []byte(small), nil)
	if err != nil {
		t.Fatal(err)
	}
	chosen := regexp.MustCompile(`\[|^(arrivals|late|cycles)\.[a-z]+\.|^streams$`) // parts of what is there only when it was chosen
	tried := map[string]any{}
	sites(ProfileSchema(nil), "", func(v any) any { return v }, func(s site) {
		for _, f := range s.forms {
			for _, p := range f.Properties {
				path := strings.TrimPrefix(s.path+"."+p.Name, ".")
				if p.Schema.Default != nil && !chosen.MatchString(path) {
					tried[path] = p.Schema.Default
				}
			}
		}
	})
	given := map[string]string{ // what a key goes with
		"request.body.template": "request.body.file=f", "request.csv.order": "request.csv.file=f",
	}
	for _, path := range slices.Sorted(maps.Keys(tried)) {
		text, err := json.Marshal(tried[path])
		if err != nil {
			t.Fatal(err)
		}
		sets, want := []Set{}, plain
		if extra, ok := given[path]; ok {
			s, _ := ParseSet(extra)
			sets = append(sets, s)
			if want, err = Parse("p.yaml", []byte(small), sets); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Parse("p.yaml", []byte(small), append(sets, Set{Key: path, Value: string(text)}))
		if err != nil {
			t.Errorf("%s: the default %s is refused: %v", path, text, err)
			continue
		}
		if string(got.YAML()) != string(want.YAML()) {
			t.Errorf("%s: the default %s changes the profile", path, text)
		}
	}
	if len(tried) < 30 {
		t.Errorf("%d defaults tried", len(tried))
	}
}
