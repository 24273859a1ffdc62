package model

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"edgebench/analysis/qpn/dist"
)

// laws lists what a law is told; the first one may stand alone, as in
// exponential: 1/mu.
var laws = map[string]struct {
	params []string
	build  func(p []float64) (dist.Law, error)
}{
	"exponential":   {[]string{"mean"}, func(p []float64) (dist.Law, error) { return dist.NewExponential(p[0]) }},
	"deterministic": {[]string{"value"}, func(p []float64) (dist.Law, error) { return dist.NewDeterministic(p[0]) }},
	"h2":            {[]string{"mean", "p", "scv"}, func(p []float64) (dist.Law, error) { return dist.NewH2(p[0], p[1], p[2]) }},
	"erlang":        {[]string{"mean", "k"}, newErlang},
	"lognormal":     {[]string{"mean", "scv"}, func(p []float64) (dist.Law, error) { return dist.NewLognormal(p[0], p[1]) }},
	"weibull":       {[]string{"mean", "shape"}, func(p []float64) (dist.Law, error) { return dist.NewWeibull(p[0], p[1]) }},
	"uniform":       {[]string{"from", "to"}, func(p []float64) (dist.Law, error) { return dist.NewUniform(p[0], p[1]) }},
}

func newErlang(p []float64) (dist.Law, error) {
	k := int(p[1])
	if float64(k) != p[1] {
		k = 0 // refused with its range
	}
	return dist.NewErlang(p[0], k)
}

// law reads {name: parameters}; nil when it is faulty or left out.
func (b *builder) law(v value, c context) dist.Law {
	if v.node.Kind != yaml.MappingNode || len(v.node.Content) != 2 {
		v.fault("expected one law, as in exponential: 1/mu (known: %s)", strings.Join(slices.Sorted(maps.Keys(laws)), ", "))
		return nil
	}
	for name, field := range v.entries() {
		law, known := laws[name]
		if !known {
			b.f.add(at(v.node.Content[0], field.key), "unknown law (known: %s)", strings.Join(slices.Sorted(maps.Keys(laws)), ", "))
			return nil
		}
		params, ok := b.lawParams(field, law.params, c)
		if !ok || c.out {
			return nil
		}
		built, err := law.build(params)
		if err != nil {
			field.fault("%v", err)
			return nil
		}
		return built
	}
	return nil
}

func (b *builder) lawParams(v value, names []string, c context) ([]float64, bool) {
	params := make([]float64, len(names))
	if v.node.Kind != yaml.MappingNode && len(names) == 1 {
		var ok bool
		params[0], ok = b.number(v, c)
		return params, ok
	}
	fields := v.fields(names...)
	all := true
	for i, name := range names {
		p, ok := v.required(fields, name)
		if ok {
			params[i], ok = b.number(p, c)
		}
		all = all && ok
	}
	return params, all
}
