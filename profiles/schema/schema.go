// Package schema says what a YAML file may hold, for editors as JSON Schema (draft
// 2020-12) and for people as Markdown. It knows the forms that values take, not what
// any key means, and it checks nothing: whoever reads a file does that.
package schema

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Schema is what one value may be. The fields are JSON Schema's, but for those
// that it has no word for.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"` // the form in a word or two, as "duration"
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`

	Type    string      `json:"type,omitempty"`
	Enum    []any       `json:"enum,omitempty"`
	Pattern string      `json:"pattern,omitempty"`
	Minimum json.Number `json:"minimum,omitempty"`
	Maximum json.Number `json:"maximum,omitempty"`
	Above   json.Number `json:"exclusiveMinimum,omitempty"`

	Properties Fields    `json:"properties,omitempty"`
	Required   []string  `json:"required,omitempty"`
	Names      *Schema   `json:"propertyNames,omitempty"`
	Others     any       `json:"additionalProperties,omitempty"` // false, or the *Schema of every other key
	Least      int       `json:"minProperties,omitempty"`
	Items      *Schema   `json:"items,omitempty"`
	LeastItems int       `json:"minItems,omitempty"`
	AnyOf      []*Schema `json:"anyOf,omitempty"`

	// Shortest and Longest bound a text that is a duration; 0 and 0 for others.
	Shortest, Longest time.Duration `json:"-"`
	// Largest bounds a text that is a size, in bytes; 0 for others.
	Largest int64 `json:"-"`
}

// A Field is a key of a mapping.
type Field struct {
	Name     string
	Schema   *Schema
	Required bool
}

// Fields keep their order, which is that of the reference.
type Fields []Field

// MarshalJSON writes an object.
func (fs Fields) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range fs {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.Schema)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// dialect is what JSON() is written in.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// JSON is the whole as a file.
func (s *Schema) JSON() ([]byte, error) {
	whole := *s
	whole.Dialect = dialect
	text, err := json.MarshalIndent(&whole, "", "  ")
	return append(text, '\n'), err
}

// Key is a field with what it means.
func Key(name, means string, s *Schema) Field {
	said := *s
	said.Description = means
	return Field{Name: name, Schema: &said}
}

// Needed is Key for one that must be there.
func Needed(name, means string, s *Schema) Field {
	f := Key(name, means, s)
	f.Required = true
	return f
}

// Object is a mapping of these keys and no others.
func Object(fields ...Field) *Schema {
	s := &Schema{Type: "object", Properties: fields, Others: false}
	for _, f := range fields {
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// Named is {name: …}, a kind with its parameters.
func Named(name string, parameters *Schema) *Schema {
	return Object(Field{Name: name, Schema: parameters, Required: true})
}

// Map is a mapping of any keys of a pattern to one form of value.
func Map(pattern string, value *Schema) *Schema {
	return &Schema{Type: "object", Names: &Schema{Pattern: pattern}, Others: value}
}

// List is a list of any length.
func List(items *Schema) *Schema { return &Schema{Type: "array", Items: items} }

// AnyOf is whatever one of the forms takes.
func AnyOf(forms ...*Schema) *Schema { return &Schema{AnyOf: forms} }

// Text is text of one pattern, or any where that is empty. form says it in words.
func Text(form, pattern string) *Schema {
	return &Schema{Type: "string", Title: form, Pattern: pattern}
}

// Words is one of a few words.
func Words(words ...string) *Schema {
	s := &Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// Boolean is true or false.
func Boolean() *Schema { return &Schema{Type: "boolean"} }

// Integer is a whole number of a range, bounds as they are written.
func Integer(least, most json.Number) *Schema {
	return &Schema{Type: "integer", Minimum: least, Maximum: most}
}

// Number is a number.
func Number() *Schema { return &Schema{Type: "number"} }

// Positive is a number above 0.
func Positive(most json.Number) *Schema {
	return &Schema{Type: "number", Above: "0", Maximum: most}
}

// Or is s with what holds when the key is left out.
func (s *Schema) Or(value any) *Schema {
	said := *s
	said.Default = value
	return &said
}

// Forms is the ways out of s: itself, or those of AnyOf, without the rules there
// about which keys go together.
func (s *Schema) Forms() []*Schema {
	var out []*Schema
	for _, f := range s.AnyOf {
		if !f.rule() {
			out = append(out, f.Forms()...)
		}
	}
	if s.Type != "" {
		out = append(out, s)
	}
	return out
}

func (s *Schema) rule() bool { return s.Type == "" && len(s.AnyOf) == 0 }

// Words are the values of a form that has a few.
func (s *Schema) Words() []string {
	if s.Type == "boolean" {
		return []string{"true", "false"}
	}
	var words []string
	for _, w := range s.Enum {
		words = append(words, fmt.Sprint(w))
	}
	return words
}
