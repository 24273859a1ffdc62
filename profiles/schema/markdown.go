package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is a table of keys for each mapping, the outermost first.
func (s *Schema) Markdown() string {
	w := &writer{places: map[string]string{}}
	w.mappings(s, "", func(_ *Schema, path, id string) {
		if _, known := w.places[id]; !known {
			w.places[id] = path
		}
	})
	fmt.Fprintf(&w.text, "# %s\n\n%s\n\n", s.Title, s.Description)
	w.mappings(s, "", func(s *Schema, path, id string) {
		if w.places[id] != path {
			return // it is there already, and linked to
		}
		if path != "" {
			fmt.Fprintf(&w.text, "### %s\n\n", path)
		}
		w.table(s)
	})
	return strings.TrimSpace(w.text.String()) + "\n"
}

type writer struct {
	text   strings.Builder
	places map[string]string // of tables, by what is in them
}

// mappings visits every mapping that has a table of its own.
func (w *writer) mappings(s *Schema, path string, visit func(s *Schema, path, id string)) {
	if len(s.Properties) > 0 && !s.kind() {
		visit(s, path, s.id())
	}
	for _, f := range s.Properties {
		w.mappings(f.Schema, strings.TrimPrefix(path+"."+f.Name, "."), visit)
	}
	if s.Items != nil {
		w.mappings(s.Items, path+"[]", visit)
	}
	if value, free := s.Others.(*Schema); free {
		w.mappings(value, path+".*", visit)
	}
	for _, form := range s.AnyOf {
		w.mappings(form, path, visit)
	}
}

// id is the same for mappings of the same keys.
func (s *Schema) id() string {
	var b strings.Builder
	for _, f := range s.Properties {
		fmt.Fprintf(&b, "%s %s\n", f.Name, f.Schema.Description)
	}
	return b.String()
}

// anchor is where GitHub puts a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, heading)
}

// kind reports whether s is {name: …}, which its parent writes out.
func (s *Schema) kind() bool {
	return len(s.Properties) == 1 && s.Properties[0].Required && s.Properties[0].Schema.Description == ""
}

func (w *writer) table(s *Schema) {
	w.text.WriteString("| key | value | default | |\n|---|---|---|---|\n")
	for _, f := range s.Properties {
		fallback := ""
		switch {
		case f.Required:
			fallback = "needed"
		case f.Schema.Default != nil:
			fallback = fmt.Sprintf("`%v`", f.Schema.Default)
		}
		fmt.Fprintf(&w.text, "| `%s` | %s | %s | %s |\n", f.Name, escape(w.form(f.Schema)), fallback, escape(f.Schema.Description))
	}
	w.text.WriteString("\n")
}

func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// form says in words what a value is.
func (w *writer) form(s *Schema) string {
	var forms []string
	add := func(form string) {
		if form != "" && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	switch {
	case s.Title != "" && s.Type == "":
		return s.Title // in place of its forms
	case len(s.Words()) > 0:
		for _, w := range s.Words() {
			add("`" + w + "`")
		}
	case s.kind():
		p := s.Properties[0]
		add("`" + p.Name + ":` " + w.form(p.Schema))
	case len(s.Properties) > 0:
		at := w.places[s.id()]
		add(fmt.Sprintf("[%s](#%s)", at, anchor(at)))
	case s.Type == "object" && s.Others == false:
		add("`{}`")
	case s.Type == "object":
		add("mapping")
	case s.Type == "array":
		add("list of " + w.form(s.Items))
	case s.Title != "":
		add(s.Title)
	case s.Type == "integer" || s.Type == "number":
		add(s.numbers())
	}
	for _, f := range s.AnyOf {
		if !f.rule() {
			add(w.form(f))
		}
	}
	return strings.Join(forms, ", ")
}

func (s *Schema) numbers() string {
	text := map[string]string{"integer": "whole number", "number": "number"}[s.Type]
	if s.Above != "" {
		text += " above " + string(s.Above)
	}
	if s.Minimum != "" {
		text += " from " + string(s.Minimum)
	}
	if s.Maximum != "" {
		text += " to " + string(s.Maximum)
	}
	return text
}
