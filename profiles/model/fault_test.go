package model_test

import (
	"errors"
	"strings"
	"testing"

	"edgebench/profiles/model"
)

const head = `name: m
params: {lambda: 1, mu: 3, n: {default: 2, whole: true, min: 1}, kind: {default: a, of: [a, b]}}
`

const body = `places:
  - {name: q, queue: {servers: n, service: {exponential: 1/mu}}}
transitions:
  - {name: arrive, timed: {exponential: 1/lambda}, out: [q]}
  - {name: depart, in: [q]}
`

// Every fault names line, column and key.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "m.yaml: empty"},
		"no mapping":          {"[1]", "m.yaml:1:1: expected a mapping"},
		"second document":     {head + body + "---\nname: x\n", "m.yaml: a second document"},
		"unknown key":         {head + body + "colors: [x]\n", "m.yaml:8:1: colors: unknown key"},
		"duplicate key":       {head + body + "name: again\n", "m.yaml:8:1: name: duplicate key, or no text (first on line 1)"},
		"alias":               {"name: &x m\nparams: *x\n", "m.yaml:2:9: an alias"},
		"tag":                 {"name: !!binary m\n", "m.yaml:1:7: a tag"},
		"missing keys":        {"name: m\n", "missing key transitions"},
		"no lambda":           {"name: m\nparams: {mu: 1}\n" + body, "m.yaml:2:9: params: no parameter lambda"},
		"octal-looking":       {strings.Replace(head, "mu: 3", "mu: 010", 1) + body, `m.yaml:2:25: params.mu: "010" is not a number`},
		"infinite":            {strings.Replace(head, "mu: 3", "mu: .inf", 1) + body, `params.mu: ".inf" is not a number`},
		"zero":                {strings.Replace(head, "mu: 3", "mu: 0", 1) + body, "params.mu: 0: not above 0"},
		"not whole":           {strings.Replace(head, "default: 2", "default: 2.5", 1) + body, "params.n: 2.5: not a whole number"},
		"no such word":        {strings.Replace(head, "default: a", "default: c", 1) + body, `params.kind: "c": not one of a, b`},
		"unknown name":        {head + strings.Replace(body, "1/mu", "1/nu", 1), `m.yaml:4:58: places[0].queue.service.exponential: "1/nu": unknown name nu`},
		"hyphen":              {head + strings.Replace(body, "servers: n", "servers: n-kind", 1), "unknown name n-kind"},
		"syntax":              {head + strings.Replace(body, "1/mu", "1/(mu", 1), `expected ")", found ""`},
		"division by zero":    {head + strings.Replace(body, "1/mu", "1/(mu - mu)", 1), `"1/(mu - mu)" is +Inf`},
		"word as number":      {head + strings.Replace(body, "servers: n", "servers: kind", 1), `"kind" is the word a, not a number`},
		"half a server":       {head + strings.Replace(body, "servers: n", "servers: n / 4", 1), `"n / 4" is 0.5: not a whole number`},
		"unknown law":         {head + strings.Replace(body, "{exponential: 1/mu}", "{gauss: 1}", 1), "m.yaml:4:45: places[0].queue.service.gauss: unknown law (known: deterministic, erlang, exponential, h2"},
		"law without mean":    {head + strings.Replace(body, "{exponential: 1/mu}", "{erlang: {k: 2}}", 1), "missing key mean"},
		"infeasible h2":       {head + strings.Replace(body, "exponential: 1/mu", "h2: {mean: 1, p: 0.2, scv: 20}", 1), "scv 20: no positive phase rates at p 0.2 (feasible: 1 ≤ scv < 9)"},
		"unknown place":       {head + strings.Replace(body, "in: [q]", "in: [p]", 1), `m.yaml:7:25: transitions[1].in[0]: unknown place "p" (known: q)`},
		"unknown index":       {head + strings.Replace(body, "in: [q]", `in: ["q[i]"]`, 1), "unknown name i"},
		"unknown colour":      {head + strings.Replace(body, "in: [q]", "in: [{place: q, colour: red}]", 1), `unknown colour "red"`},
		"unknown choice":      {head + strings.Replace(body, "in: [q]", "in: [q], choose: best", 1), "unknown name best"},
		"modes and arcs":      {head + strings.Replace(body, "in: [q]", "in: [q], modes: [{in: [q]}]", 1), "transitions[1].in: belongs into the modes"},
		"index is a name":     {head + strings.Replace(body, "{name: q,", "{name: q, for: {n: 2},", 1), `"n" cannot be an index`},
		"twice the same":      {head + strings.Replace(body, "{name: q,", "{name: q, for: {i: 2},", 1), `a second place "q"`},
		"too many":            {head + strings.Replace(body, "{name: q,", `{name: "q[i]", for: {i: 1000000},`, 1), "more than 20000 places"},
		"zero weight":         {head + strings.Replace(body, "in: [q]", "in: [q], weight: 0", 1), "weight 0: not above 0"},
		"bad capacity":        {head + body + "capacity: 0 - 1\n", `m.yaml:8:11: capacity: "0 - 1": not a rate above 0`},
		"unknown formula":     {head + body + "exact: [{erlang-c: 1}]\n", "m.yaml:8:10: exact[0].erlang-c: unknown formula"},
		"variant":             {head + body + "variants: {big: {m: 3}}\n", `m.yaml:8:21: variants.big.m: unknown parameter "m", did you mean mu?`},
		"fault in a variant":  {head + body + "variants: {big: {n: 0}}\n", "m.yaml:8:21: variants.big.n: 0: below 1"},
		"left out but broken": {head + body + "windows: [{name: w, when: 1 == 2, wrong: 1}]\n", "windows[0].wrong: unknown key"},
		"endless firing":      {head + strings.Replace(body, "in: [q]", "out: [q]", 1), `transition "depart": immediate and takes nothing`},
		"deep nesting":        {head + strings.Replace(body, "1/mu", strings.Repeat("(", 400)+"1"+strings.Repeat(")", 400), 1), "nested too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := model.Parse("m.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error\n%v\nwant one with\n%s", err, c.want)
			}
		})
	}
	if _, err := model.Parse("m.yaml", []byte(head+body)); err != nil {
		t.Errorf("without a fault: %v", err)
	}
}

// All faults of a file come at once, in the order of the text.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := model.Parse("m.yaml", []byte(head+"places: [{name: a, size: 3}, {name: b, tokens: x}]\ntransitions: [{name: t, in: [c]}]\n"))
	faults, ok := errors.AsType[model.Faults](err)
	if !ok || len(faults) != 3 {
		t.Fatalf("error %v, want three faults", err)
	}
	for i, want := range []string{"places[0].size", "places[1].tokens", "transitions[0].in[0]"} {
		if faults[i].Key != want || faults[i].Line == 0 || faults[i].Column == 0 {
			t.Errorf("fault %d: %v, want key %s", i, faults[i], want)
		}
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"k=3": "", "order=jsq": "", "mu=1/2": "", "mu=-1": "--set: mu: -1: not above 0",
		"order=best": `--set: order: "best": not one of overflow, jsq, random-free`,
		"m=3":        `--set: m: unknown parameter "m", did you mean mu?`,
		"n=many":     `--set: n: "many" is not a number`, "n=NaN": "is not a number", "n": "not key=value", "=3": "not key=value",
		"scv=20": "feasible", "n=2.5": "not a whole number",
	} {
		set, err := model.ParseSet(text)
		if err == nil {
			_, err = model.Load("cls", []model.Set{set})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("--set %s: error %v, want %q", text, err, want)
		}
	}
	if _, err := model.Load("cls:M9", nil); err == nil || !strings.Contains(err.Error(), `unknown variant "M9" (known: M1, M2, M3, M4, 5x3)`) {
		t.Errorf("cls:M9: %v", err)
	}
	if _, err := model.Load("clt", nil); err == nil || !strings.Contains(err.Error(), "did you mean cls?") {
		t.Errorf("clt: %v", err)
	}
}

// Whatever the text, Parse neither panics nor hangs.
func FuzzParse(f *testing.F) {
	f.Add(head + body)
	f.Add(head + body + "capacity: n * mu\nexact: [{gi-m-c: {mu: mu, servers: n}}]\n")
	f.Add(head + "colours: [request, {name: t, plain: true}]\nplaces: [{name: 'a[i]', for: {i: n}, colour: t, tokens: if(kind == a, 1, 0)}]\ntransitions: [{name: x, choose: least, modes: [{for: {j: 2}, in: ['2 a[j]'], least: 'a[1]'}]}]\n")
	f.Add("name: 0\nparams: {lambda: {default: 0,of: [0]}}\ncolours:\nplaces: [{0}]\ntransitions:")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := model.Parse("m.yaml", []byte(text))
		if (s == nil) != (err != nil) {
			t.Fatalf("spec %v, error %v", s, err)
		}
	})
}
