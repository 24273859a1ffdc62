// Package model reads queueing models from YAML, as strictly as profiles are
// read: unknown and duplicate keys, unknown names, aliases, a second document
// are faults with line, column and key, all of them at once.
//
// A model is a net with parameters. Rates are per second, times are seconds.
// Any number may be an expression over the parameters (see expr); `for: {i: n}`
// repeats a place, transition or mode with i = 1..n, and `when:` leaves one out.
package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"edgebench/analysis/qpn"
	"edgebench/analysis/qpn/exact"
	"edgebench/analysis/qpn/net"
	"edgebench/profiles"
)

// A Spec is a model file that has been read.
type Spec struct {
	Name        string
	Description string
	Params      []Param
	Variants    []Variant

	file string
	root value
}

// A Param is something a model can be told.
type Param struct {
	Name, Help string
	Words      []string // what it may be, if it is a word
	Default    string
	Min        float64 // of a number; without a stated one it has to be above 0
	HasMin     bool
	Whole      bool // only whole numbers

	at spot
}

// A Variant is a named setting of several parameters.
type Variant struct {
	Name string
	Sets []Set
}

// A Set gives a parameter a value.
type Set struct {
	Key, Value string

	at spot
}

// maxFile bounds the size of a model file in bytes.
const maxFile = 1 << 20

// Parse reads a model and tries out every variant; file is what faults name.
func Parse(file string, data []byte) (*Spec, error) {
	f := &faults{file: file}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes: more than %d", file, len(data), maxFile)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: empty", file)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: a second document, or text after the first", file)
	}
	refuse(f, &doc)
	if err := f.err(); err != nil {
		return nil, err
	}
	s := &Spec{file: file, root: value{doc.Content[0], "", f}}
	s.read()
	if err := f.err(); err != nil {
		return nil, err
	}
	var errs Faults
	for _, v := range append([]Variant{{}}, s.Variants...) {
		if _, err := s.Model(v.Name, nil); err != nil {
			list, ok := errors.AsType[Faults](err)
			if !ok {
				return nil, err
			}
			errs = append(errs, slices.DeleteFunc(list, func(f Fault) bool { return slices.Contains(errs, f) })...)
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// refuse reports aliases, anchors, merges and tags: none is needed here, and
// each makes text mean something that is not where it stands.
func refuse(f *faults, n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		f.add(at(n, ""), "an alias: write it out")
		return
	case n.Anchor != "":
		f.add(at(n, ""), "an anchor: there are no aliases here")
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!!merge":
		f.add(at(n, ""), "a tag or merge: not used here")
	}
	for _, c := range n.Content {
		refuse(f, c)
	}
}

// topKeys are the keys of a model file.
var topKeys = []string{"name", "description", "params", "variants", "capacity", "exact", "colours", "places", "transitions", "windows", "probes"}

func (s *Spec) read() {
	top := s.root.fields(topKeys...)
	if v, ok := s.root.required(top, "name"); ok {
		s.Name = v.text()
	}
	if v, ok := top["description"]; ok {
		s.Description = v.text()
	}
	if v, ok := s.root.required(top, "params"); ok {
		for name, field := range v.entries() {
			s.Params = append(s.Params, readParam(name, field))
		}
		if p := s.param("lambda"); p == nil || p.Words != nil {
			v.fault("no parameter lambda, the arrival rate, as a number")
		}
	}
	if v, ok := top["variants"]; ok {
		for name, field := range v.entries() {
			variant := Variant{Name: name}
			for key, set := range field.entries() {
				variant.Sets = append(variant.Sets, Set{key, set.text(), set.spot()})
			}
			s.Variants = append(s.Variants, variant)
		}
	}
	s.root.required(top, "places")
	s.root.required(top, "transitions")
}

func readParam(name string, v value) Param {
	p := Param{Name: name, at: v.spot()}
	if e, err := parseExpr(name); err != nil || !letter(name[0]) || len(name) != len(e.text) || strings.ContainsAny(name, " +*/()") {
		v.fault("parameter %q: a name is letters, digits, _ and inner hyphens", name)
	}
	if v.node.Kind == yaml.ScalarNode {
		p.Default = v.text()
		return p
	}
	fields := v.fields("default", "of", "help", "min", "whole")
	if d, ok := v.required(fields, "default"); ok {
		p.Default = d.text()
	}
	if h, ok := fields["help"]; ok {
		p.Help = h.text()
	}
	if w, ok := fields["of"]; ok {
		for _, item := range w.items() {
			p.Words = append(p.Words, item.text())
		}
	}
	if m, ok := fields["min"]; ok {
		p.HasMin = true
		if p.Min, ok = m.constant(); !ok {
			m.fault("%q is not a number", m.text())
		}
	}
	if w, ok := fields["whole"]; ok {
		if p.Whole = w.text() == "true"; !p.Whole && w.text() != "false" {
			w.fault("%q: neither true nor false", w.text())
		}
	}
	return p
}

// constant reads a number without names.
func (v value) constant() (float64, bool) { return constant(v.text()) }

func constant(text string) (float64, bool) {
	e, err := parseExpr(text)
	if err != nil {
		return 0, false
	}
	n, err := e.number(scope{})
	return n, err == nil
}

func (s *Spec) param(name string) *Param {
	for i := range s.Params {
		if s.Params[i].Name == name {
			return &s.Params[i]
		}
	}
	return nil
}

// settings spells out what was set, each parameter once with its last value. The
// arrival rate is the axis of every result, so it is left out.
func settings(sets []Set) []string {
	var out []string
	for i, s := range sets {
		later := func(t Set) bool { return t.Key == s.Key }
		if s.Key != "lambda" && !slices.ContainsFunc(sets[i+1:], later) {
			out = append(out, s.Key+"="+s.Value)
		}
	}
	return out
}

// Model returns the model of a variant ("" for the defaults) with parameters
// set on top of it.
func (s *Spec) Model(variant string, sets []Set) (*qpn.Model, error) {
	all, err := s.variant(variant)
	if err != nil {
		return nil, err
	}
	f := &faults{file: s.file}
	sc := s.scope(f, append(all, sets...))
	if err := f.err(); err != nil {
		return nil, err
	}
	lambda := sc.names["lambda"].number
	b, err := s.build(sc)
	if err != nil {
		return nil, err
	}
	m := &qpn.Model{Name: s.Name, Variant: variant, Description: s.Description, Lambda: lambda, Capacity: b.capacity}
	if len(sets) > 0 {
		// No longer the one the study's figures are about. What the variant sets is
		// kept as a setting, or nothing would tell it.
		m.Variant, m.Settings = "", settings(append(all, sets...))
	}
	m.Net = func(lambda float64) (*net.Net, error) {
		b, err := s.build(sc.with("lambda", lambda))
		if err != nil {
			return nil, err
		}
		return b.net, nil
	}
	if b.formula != nil {
		m.Exact = func(lambda float64) (exact.Result, error) {
			b, err := s.build(sc.with("lambda", lambda))
			if err != nil {
				return exact.Result{}, err
			}
			return b.formula()
		}
	}
	return m, nil
}

func (s *Spec) variant(name string) ([]Set, error) {
	if name == "" {
		return nil, nil
	}
	var known []string
	for _, v := range s.Variants {
		if v.Name == name {
			return slices.Clone(v.Sets), nil
		}
		known = append(known, v.Name)
	}
	return nil, fmt.Errorf("model %s: %s", s.Name, profiles.UnknownName("variant", name, known))
}

// scope gives every parameter its value: the last set, or its default.
func (s *Spec) scope(f *faults, sets []Set) scope {
	sc := scope{map[string]result{}, map[string]bool{}}
	for _, p := range s.Params {
		for _, w := range p.Words {
			sc.words[w] = true
		}
		sc.names[p.Name] = p.parse(f, Set{p.Name, p.Default, p.at})
	}
	for _, set := range sets {
		if p := s.param(set.Key); p != nil {
			sc.names[p.Name] = p.parse(f, set)
			continue
		}
		names := slices.Sorted(maps.Keys(sc.names))
		set.blame(f, "%s", profiles.UnknownName("parameter", set.Key, names))
	}
	return sc
}

// blame reports a fault of a value where it was given: in the file or by --set.
func (set Set) blame(f *faults, format string, args ...any) {
	if set.at.line > 0 {
		f.add(set.at, format, args...)
		return
	}
	f.list = append(f.list, Fault{File: "--set", Key: set.Key, Message: fmt.Sprintf(format, args...)})
}

// parse reads a value of the parameter and checks it.
func (p *Param) parse(f *faults, set Set) result {
	if p.Words != nil {
		if !slices.Contains(p.Words, set.Value) {
			set.blame(f, "%q: not one of %s", set.Value, strings.Join(p.Words, ", "))
		}
		return result{word: set.Value}
	}
	v, ok := constant(set.Value)
	switch {
	case !ok:
		set.blame(f, "%q is not a number", set.Value)
	case p.HasMin && v < p.Min:
		set.blame(f, "%v: below %v", v, p.Min)
	case !p.HasMin && v <= 0:
		set.blame(f, "%v: not above 0", v)
	case p.Whole && v != math.Trunc(v):
		set.blame(f, "%v: not a whole number", v)
	}
	return result{number: v}
}
