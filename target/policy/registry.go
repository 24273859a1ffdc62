package policy

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// registry lists every policy, in the order help shows them. To add one: a file
// of its own with a Spec, and its name here; the conformance test does the rest.
var registry = []Spec{
	staticSpec,
	reactiveSpec,
	ewmaSpec,
	adaptiveSpec,
	ensembleSpec,
	arimaSpec,
	statsmodelsSpec,
	staffingSpec,
	seasonalSpec,
	holtWintersSpec,
	openFaaSSpec,
	kpaSpec,
	ttlSpec,
	hybridSpec,
	sprSpec,
	clsSpec,
	mbsSpec,
}

// A Spec is what a policy is called, what it can be told and what it costs.
type Spec struct {
	Name string
	Help string // one line
	Cost string // time and memory of one Decide, "O(1)" where it is constant

	// What is part of it, on any node. Empty: the node's own.
	Miss     string // the miss path; it takes the place of the one that is configured
	Dispatch string // the dispatch rule where none is configured
	Fitter   string // what a live node fits its forecasts with
	Tokens   int    // requests a worker admits, where it is not configured

	Params []Param

	build func(values, int) Policy
}

// A Param is a number a policy can be told.
type Param struct {
	Name, Help        string
	Default, Min, Max float64
	Whole             bool // only whole numbers

	SumUnit string // of the parameter that Decision.Sum alarms above: the unit of both; else empty
}

// values holds every parameter of a Spec, defaults filled in.
type values map[string]float64

// A Describer states facts about a policy as it is configured, one a line, for
// the log at start-up. tick is the nominal distance of two decisions.
type Describer interface {
	Describe(tick time.Duration) []string
}

// Specs returns the registered policies.
func Specs() []Spec { return slices.Clone(registry) }

// Names returns the names of the registered policies.
func Names() []string {
	names := make([]string, len(registry))
	for i, s := range registry {
		names[i] = s.Name
	}
	return names
}

// Lookup is the Spec of that name, or the zero Spec.
func Lookup(name string) Spec {
	for _, s := range registry {
		if s.Name == name {
			return s
		}
	}
	return Spec{}
}

// New makes the policy of that name. params override its defaults; workers is
// the number of workers before the first decision (and for static the number
// for good), 0 for the policy's own default. Every fault is in the error.
func New(name string, params map[string]float64, workers int) (Policy, error) {
	at := slices.IndexFunc(registry, func(s Spec) bool { return s.Name == name })
	var faults []error
	if workers < 0 || workers > maxTarget {
		faults = append(faults, fmt.Errorf("workers %d: out of range 0..%d", workers, maxTarget))
	}
	if at < 0 {
		faults = append(faults, fmt.Errorf("policy %q: unknown (have %s)", name, strings.Join(Names(), ", ")))
		return nil, errors.Join(faults...)
	}
	spec := registry[at]
	full, err := spec.fill(params)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return spec.build(full, workers), nil
}

// Of is the parameter as params have it, its default without.
func (p Param) Of(params map[string]float64) float64 {
	if v, ok := params[p.Name]; ok {
		return v
	}
	return p.Default
}

// fill checks params against the spec and adds the defaults.
func (s Spec) fill(params map[string]float64) (values, error) {
	full := make(values, len(s.Params))
	var faults []error
	for _, p := range s.Params {
		full[p.Name] = p.Default
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		at := slices.IndexFunc(s.Params, func(p Param) bool { return p.Name == name })
		if at < 0 {
			faults = append(faults, fmt.Errorf("policy %s: unknown parameter %q (%s)", s.Name, name, s.paramNames()))
			continue
		}
		if err := s.Params[at].check(params[name]); err != nil {
			faults = append(faults, fmt.Errorf("policy %s: %w", s.Name, err))
		}
		full[name] = params[name]
	}
	return full, errors.Join(faults...)
}

func (p Param) check(v float64) error {
	if !(v >= p.Min && v <= p.Max) { // written so that NaN fails
		return fmt.Errorf("parameter %s = %v: out of range %g..%g", p.Name, v, p.Min, p.Max)
	}
	if p.Whole && v != math.Trunc(v) {
		return fmt.Errorf("parameter %s = %v: not a whole number", p.Name, v)
	}
	return nil
}

func (s Spec) paramNames() string {
	if len(s.Params) == 0 {
		return "it has none"
	}
	names := make([]string, len(s.Params))
	for i, p := range s.Params {
		names[i] = p.Name
	}
	return "have " + strings.Join(names, ", ")
}
