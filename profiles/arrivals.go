package profiles

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"edgebench/profiles/arrival"
)

// arrivals reads a law and its parameters, each fault where it stands.
func (d *decoder) arrivals(v value, dst *Arrivals) {
	name, at, param, ok := v.variant()
	if !ok {
		return
	}
	if read, ok := recordings[name]; ok {
		before := len(d.faults)
		a := Arrivals{Law: name}
		if param.node == nil {
			at.fault("%s needs what it plays, see: loadgen list arrivals", name)
		} else if read(param, &a); len(d.faults) == before {
			*dst = a
		}
		return
	}
	family, err := arrival.FamilyOf(name)
	if err != nil {
		known := slices.Sorted(maps.Keys(recordings))
		for _, f := range arrival.Families() {
			known = append(known, f.Name)
		}
		at.fault("%s", UnknownName("law of arrivals", name, known))
		return
	}
	before := len(d.faults)
	a := Arrivals{Law: name}
	params := &object{at: at}
	if param.node != nil {
		if params, ok = param.object(); !ok {
			return
		}
	}
	for _, key := range family.Params {
		if v, ok := params.required(key.Name); ok {
			if a.Params == nil {
				a.Params = arrival.Values{}
			}
			a.Params[key.Name] = v.parameters(key)
		}
	}
	params.close()
	if len(d.faults) > before {
		return
	}
	if _, err := a.law(); err != nil {
		v.fault("%v", err)
		return
	}
	*dst = a
}

// parameters reads the value of a parameter of a law, or its list.
func (v value) parameters(p arrival.Param) []float64 {
	items := []value{v}
	if p.List {
		items, _ = v.list()
	}
	values := make([]float64, len(items))
	for i, item := range items {
		if !p.Time {
			item.number(&values[i])
			continue
		}
		var d time.Duration
		if item.duration(&d, 1, arrival.MaxLength) {
			values[i] = d.Seconds()
		}
	}
	return values
}

// tree writes the law, and its parameters in the order of the family.
func (a Arrivals) tree() *yaml.Node {
	switch {
	case a.Times != nil:
		return flow(tree(a.Law, a.Times.tree()))
	case a.Replay != nil:
		return flow(tree(a.Law, a.Replay.tree()))
	case a.Trace != nil:
		return tree(a.Law, traceTree(a.Trace))
	case len(a.Params) == 0:
		return word(a.Law)
	}
	n := tree()
	if family, err := arrival.FamilyOf(a.Law); err == nil { // else Parse had refused it
		for _, p := range family.Params {
			add(n, p.Name, parameterTree(p, a.Params[p.Name]))
		}
	}
	return flow(tree(a.Law, n))
}

func parameterTree(p arrival.Param, values []float64) *yaml.Node {
	list := sequence()
	for _, x := range values {
		node := number(strconv.FormatFloat(x, 'g', -1, 64))
		if p.Time {
			node = word(formatDuration(time.Duration(x*1e9 + 0.5)))
		}
		list.Content = append(list.Content, node)
	}
	if !p.List && len(values) == 1 {
		return list.Content[0]
	}
	return list
}
