package request

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"edgebench/loadgen/transport/response"
	"edgebench/profiles"
)

// keptBody is how much of a body is looked at where the profile sets no limit
// on its size, in bytes.
const keptBody = 64 << 10

// mostKept bounds what a connection may keep, whatever the profile's limit.
const mostKept = 16 << 20

// expectation compiles what a profile expects; functions that expect the same
// share it.
func (b *builder) expectation(r profiles.Request) *response.Expectation {
	key := fmt.Sprintf("%t %+v", r.Method == "HEAD", r.Expect)
	if e, known := b.expectations[key]; known {
		return e
	}
	e := &response.Expectation{Head: r.Method == "HEAD", MaxBody: r.Expect.MaxBody}
	for _, s := range r.Expect.Status {
		e.Status = append(e.Status, response.StatusRange{From: uint16(s.From), To: uint16(s.To)})
	}
	if r.Expect.Checks() {
		e.Keep = keptBody
		if r.Expect.MaxBody > 0 {
			e.Keep = int(min(r.Expect.MaxBody, mostKept))
		}
		e.Body = b.check(r.Expect)
	}
	b.cold(e, b.Cold)
	b.expectations[key] = e
	return e
}

// check compiles the conditions on a body; all of them have to hold.
func (b *builder) check(x profiles.Expect) response.Check {
	contains := []byte(x.Contains)
	var matches *regexp.Regexp
	if x.Matches != "" {
		var err error
		if matches, err = regexp.Compile(x.Matches); err != nil {
			b.fault("expect.body.matches", "%w", err)
		}
	}
	type field struct {
		path []step
		want string
	}
	var fields []field
	for _, f := range x.JSON {
		fields = append(fields, field{steps(f.Path), f.Value})
	}
	return func(body response.Body) bool {
		text, ok := decoded(body)
		if !ok || !bytes.Contains(text, contains) || matches != nil && !matches.Match(text) {
			return false
		}
		if len(fields) == 0 {
			return true
		}
		var root any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&root) != nil {
			return false
		}
		for _, f := range fields {
			if value, found := lookUp(root, f.path); !found || !equal(value, f.want) {
				return false
			}
		}
		return true
	}
}

// decoded undoes gzip, as far as the body was kept.
func decoded(body response.Body) ([]byte, bool) {
	if !strings.EqualFold(body.Encoding, "gzip") {
		return body.Bytes, body.Encoding == "" || strings.EqualFold(body.Encoding, "identity")
	}
	reader, err := gzip.NewReader(bytes.NewReader(body.Bytes))
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(reader, mostKept))
	return text, err == nil || !body.Whole
}

// A step goes from a JSON value to one inside it.
type step struct {
	name  string
	index int // when name is empty
}

var stepText = regexp.MustCompile(`\[(\d+)\]|[^.\[\]]+`)

// steps reads items[0].id, whose form the profile has checked.
func steps(path string) (all []step) {
	for _, m := range stepText.FindAllStringSubmatch(path, -1) {
		if m[1] == "" {
			all = append(all, step{name: m[0]})
			continue
		}
		index, err := strconv.Atoi(m[1])
		if err != nil {
			index = -1 // of more digits than there are items
		}
		all = append(all, step{index: index})
	}
	return all
}

func lookUp(v any, path []step) (any, bool) {
	for _, s := range path {
		switch x := v.(type) {
		case map[string]any:
			inner, ok := x[s.name]
			if !ok || s.name == "" {
				return nil, false
			}
			v = inner
		case []any:
			if s.name != "" || s.index < 0 || s.index >= len(x) {
				return nil, false
			}
			v = x[s.index]
		default:
			return nil, false
		}
	}
	return v, true
}

// equal compares a value with one as JSON writes it; numbers by their value.
func equal(v any, want string) bool {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x) == want
	case bool:
		return strconv.FormatBool(x) == want
	case json.Number:
		a, err := x.Float64()
		b, wantErr := strconv.ParseFloat(want, 64)
		return x.String() == want || err == nil && wantErr == nil && a == b
	}
	return false
}
