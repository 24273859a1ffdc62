package request

import (
	"bytes"
	"encoding/json"
	"net/textproto"

	"edgebench/analysis/rundir"
	"edgebench/loadgen/transport/response"
	"edgebench/profiles"
)

// cold compiles how a response tells of a cold start, beside the header every
// transport looks at.
func (b *builder) cold(e *response.Expectation, c profiles.Cold) {
	if c.InstanceHeader != "" {
		e.Instances = b.instances
		e.InstanceHeader = []byte(textproto.CanonicalMIMEHeaderKey(c.InstanceHeader))
	}
	var mark func([]byte) rundir.Mark
	path := c.JSON
	switch {
	case c.JSON != "":
		mark = response.ColdMark
	case c.InstanceJSON != "":
		path, mark = c.InstanceJSON, b.instances.Mark
	default:
		return
	}
	way := steps(path)
	e.Keep = max(e.Keep, keptBody)
	e.Cold = func(body response.Body) rundir.Mark {
		text, ok := decoded(body)
		if !ok {
			return rundir.MarkNone
		}
		var root any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&root) != nil {
			return rundir.MarkNone
		}
		value, found := lookUp(root, way)
		if !found {
			return rundir.MarkNone
		}
		switch x := value.(type) {
		case string:
			return mark([]byte(x))
		case json.Number:
			return mark([]byte(x))
		case bool:
			if x {
				return mark([]byte("true"))
			}
			return mark([]byte("false"))
		}
		return rundir.MarkNone
	}
}
