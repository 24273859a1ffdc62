package model

import (
	"maps"
	"math"
	"slices"
	"strings"

	"edgebench/analysis/qpn/dist"
	"edgebench/analysis/qpn/exact"
)

// formulas lists what an exact solution is told. gap is the law of the one
// source of the net.
var formulas = map[string]struct {
	params []string
	solve  func(gap dist.Law, p []float64) (exact.Result, error)
}{
	"m-m-inf": {[]string{"mu"}, func(gap dist.Law, p []float64) (exact.Result, error) {
		return exact.MMInf(1/gap.Mean(), p[0])
	}},
	"gi-m-c": {[]string{"mu", "servers"}, func(gap dist.Law, p []float64) (exact.Result, error) {
		return exact.GIMc(gap.(dist.Transformer), p[0], int(p[1]))
	}},
	"round-robin": {[]string{"mu", "instances"}, func(gap dist.Law, p []float64) (exact.Result, error) {
		return exact.RoundRobin(gap.(dist.Transformer), p[0], int(p[1]))
	}},
}

// readCapacity reads an expression, unlimited or unknown.
func (b *builder) readCapacity(top map[string]value, c context) {
	v, ok := top["capacity"]
	if !ok {
		return
	}
	known := scope{maps.Clone(c.names), c.words}
	known.names["unlimited"], known.names["unknown"] = result{word: "unlimited"}, result{word: "unknown"}
	e, err := parseExpr(v.text())
	if err != nil {
		v.fault("%v", err)
		return
	}
	switch r, err := e.root(known); {
	case err != nil:
		v.fault("%v", err)
	case r.word == "unlimited":
		b.capacity = math.Inf(1)
	case r.word == "unknown":
	case r.word != "" || !(r.number > 0) || math.IsInf(r.number, 1):
		v.fault("%q: not a rate above 0, unlimited or unknown", v.text())
	default:
		b.capacity = r.number
	}
}

// readExact takes the first formula whose `when` holds.
func (b *builder) readExact(top map[string]value, c context) {
	for _, item := range top["exact"].list(b.f) {
		inner := c
		for name, field := range item.entries() {
			if name == "when" {
				held, ok := b.number(field, c)
				inner.out = !ok || held == 0
			}
		}
		solve := b.solution(item, inner)
		if solve != nil && !inner.out && b.formula == nil {
			b.formula = solve
		}
	}
}

func (b *builder) solution(item value, c context) func() (exact.Result, error) {
	var solve func() (exact.Result, error)
	for name, field := range item.entries() {
		switch name {
		case "when":
			continue
		case "cls":
			solve = b.clsFormula(field, c)
			continue
		case "split":
			solve = b.splitFormula(field, c)
			continue
		}
		formula, known := formulas[name]
		if !known {
			names := append(slices.Sorted(maps.Keys(formulas)), "cls", "split")
			b.f.add(at(item.keyNode(name), field.key), "unknown formula (known: %s)", strings.Join(names, ", "))
			continue
		}
		params, ok := b.lawParams(field, formula.params, c)
		gap, transforms := b.gap().(dist.Transformer)
		if ok && transforms {
			solve = func() (exact.Result, error) { return formula.solve(gap, params) }
		}
	}
	return solve
}

// gap is the law of the arrivals: of the one timed transition that takes
// nothing; nil where there are several.
func (b *builder) gap() dist.Law {
	var gap dist.Law
	for _, t := range b.net.Transitions {
		if t.Law == nil || len(t.Modes) != 1 || len(t.Modes[0].In) > 0 {
			continue
		}
		if gap != nil {
			return nil
		}
		gap = t.Law
	}
	return gap
}

func (b *builder) clsFormula(v value, c context) func() (exact.Result, error) {
	fields := v.fields("mu", "instances", "tokens", "servers", "order")
	cls := exact.CLS{}
	if mu, ok := v.required(fields, "mu"); ok {
		cls.Mu, _ = b.number(mu, c)
	}
	for name, to := range map[string]*int{"instances": &cls.Instances, "tokens": &cls.Tokens, "servers": &cls.Servers} {
		if n, ok := v.required(fields, name); ok {
			*to = b.count(n, c, 1)
		}
	}
	if order, ok := v.required(fields, "order"); ok {
		cls.Order = exact.Order(b.word(order, c, "overflow", "jsq", "random-free"))
	}
	gap, follows := b.gap().(dist.PhaseMixture)
	if !follows {
		return nil
	}
	return func() (exact.Result, error) {
		r, err := cls.Solve(gap)
		return r.Result, err
	}
}

// splitFormula reads a random split over instances i = 1..n with weights that
// are an expression in i.
func (b *builder) splitFormula(v value, c context) func() (exact.Result, error) {
	fields := v.fields("mu", "instances", "weight")
	var mu float64
	var weights []float64
	if m, ok := v.required(fields, "mu"); ok {
		mu, _ = b.number(m, c)
	}
	n, ok := v.required(fields, "instances")
	w, ok2 := v.required(fields, "weight")
	if ok && ok2 {
		count := b.count(n, c, 1)
		if count > maxElements {
			n.fault("%d instances: more than %d", count, maxElements)
			count = 0
		}
		for i := range count {
			weight, _ := b.number(w, context{c.with("i", float64(i+1)), c.out})
			weights = append(weights, weight)
		}
	}
	gap, transforms := b.gap().(dist.Transformer)
	if !transforms {
		return nil
	}
	return func() (exact.Result, error) { return exact.RandomSplit(gap, mu, weights) }
}
