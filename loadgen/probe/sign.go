package probe

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"edgebench/analysis/plain"
	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
	"edgebench/profiles"
)

// A Sign is where the answers tell of a cold start, in the words of a profile.
type Sign struct {
	Header         string `json:"header,omitempty"` // a mark
	JSON           string `json:"json,omitempty"`   // a mark
	InstanceHeader string `json:"instance_header,omitempty"`
	InstanceJSON   string `json:"instance_json,omitempty"`

	ColdAnswers int `json:"cold_answers"` // by the sign
}

// Found reports whether there is one.
func (s Sign) Found() bool { return s.Header+s.JSON+s.InstanceHeader+s.InstanceJSON != "" }

// apply writes it into a profile.
func (s Sign) apply(c *profiles.Cold) {
	if s.Found() {
		c.Header, c.JSON, c.InstanceHeader, c.InstanceJSON = s.Header, s.JSON, s.InstanceHeader, s.InstanceJSON
	}
}

// Names that say what a value is. An instance's is taken only when answers share
// it: the id of a request is everybody's own.
var (
	coldName     = regexp.MustCompile(`(?i)cold`)
	instanceName = regexp.MustCompile(`(?i)instance|container|worker|pod|replica|hostname|environment|logstream|log_stream|(^|[ ._-])pid$`)
)

// findSign looks for a mark first, for the name of an instance then; in headers
// first, in a JSON body then. Answers are told what they are by it.
func findSign(answers []Answer) Sign {
	var ok []map[string]string // by header, and by path of the body with a blank before it
	var of []*Answer
	for i := range answers {
		if answers[i].ok() {
			ok, of = append(ok, values(answers[i])), append(of, &answers[i])
		}
	}
	if len(ok) < 2 {
		return Sign{}
	}
	names := slices.Sorted(maps.Keys(ok[0]))
	slices.Reverse(names) // what begins with a blank comes last
	for _, kind := range []struct {
		name *regexp.Regexp
		told func([]map[string]string, string) []bool
		sign func(name string, inBody bool) Sign
	}{
		{coldName, marks, func(name string, inBody bool) Sign {
			if inBody {
				return Sign{JSON: name}
			}
			return Sign{Header: name}
		}},
		{instanceName, instances, func(name string, inBody bool) Sign {
			if inBody {
				return Sign{InstanceJSON: name}
			}
			return Sign{InstanceHeader: name}
		}},
	} {
		for _, name := range names {
			if !kind.name.MatchString(name) {
				continue
			}
			told := kind.told(ok, name)
			if told == nil {
				continue
			}
			path, inBody := strings.CutPrefix(name, " ")
			s := kind.sign(path, inBody)
			for i, cold := range told {
				if of[i].Cold = &told[i]; cold {
					s.ColdAnswers++
				}
			}
			return s
		}
	}
	return Sign{}
}

// marks reads which answers say that they were cold; nil unless every one says
// something.
func marks(answers []map[string]string, name string) []bool {
	cold := make([]bool, len(answers))
	for i, a := range answers {
		switch response.ColdMark([]byte(a[name])) {
		case rundir.MarkYes:
			cold[i] = true
		case rundir.MarkNone:
			return nil
		}
	}
	return cold
}

// instances takes the first answer of each for cold; nil unless every answer has
// a name and some share theirs.
func instances(answers []map[string]string, name string) []bool {
	cold := make([]bool, len(answers))
	seen := map[string]bool{}
	for i, a := range answers {
		if a[name] == "" {
			return nil
		}
		cold[i] = !seen[a[name]]
		seen[a[name]] = true
	}
	if len(seen) == len(answers) {
		return nil
	}
	return cold
}

// values are the headers and, where the body is JSON, its texts, numbers and
// truth values two levels deep. What a profile could not write is left out.
func values(a Answer) map[string]string {
	out := map[string]string{}
	for name, all := range a.header {
		if len(all) == 1 && plain.Line(name) == name {
			out[name] = all[0]
		}
	}
	var body map[string]any
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.UseNumber()
	if d.Decode(&body) != nil {
		return out
	}
	add := func(path string, v any) {
		if !pathName.MatchString(path) {
			return
		}
		switch v.(type) {
		case string, json.Number, bool:
			text, _ := json.Marshal(v)
			out[" "+path] = strings.Trim(string(text), `"`)
		}
	}
	for name, v := range body {
		add(name, v)
		if inner, ok := v.(map[string]any); ok && pathName.MatchString(name) {
			for key, v := range inner {
				if pathName.MatchString(key) {
					add(name+"."+key, v)
				}
			}
		}
	}
	return out
}

// pathName is a name that needs no quoting in a path.
var pathName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})?$`)
