package analysis

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"edgebench/analysis/rundir"
	"edgebench/profiles"
)

// A Threshold is a condition a run has to meet: [PART.]METRIC OPERATOR LIMIT, for
// example "response.p99 < 900ms", "spike.cold.truth < 10%". A PART is a phase, all
// its cycles together; PHASE[N], the phase in cycle N; cycle[N], all phases of
// that cycle; or fn.FUNCTION. Without one it is the whole run.
type Threshold struct {
	Expression string
	Part       string
	Metric     string
	Operator   string // < <= > >=
	limit      float64
	metric     metric
	percent    bool
}

// A ThresholdResult is a threshold held against a run.
type ThresholdResult struct {
	Expression string `json:"expression"`
	Met        bool   `json:"met"`
	Value      string `json:"value"` // with its unit; "not measured" never meets a threshold
}

// A ThresholdFault is what is wrong with one expression.
type ThresholdFault struct {
	Index      int // of the manifest's thresholds
	Expression string
	Problem    string
}

func (f *ThresholdFault) Error() string {
	return fmt.Sprintf("threshold %q: %s", f.Expression, f.Problem)
}

// ParseThreshold reads one expression. Whether a run has the part is not known
// here; ParseThresholds checks that.
func ParseThreshold(expression string) (Threshold, error) {
	t, err := parseThreshold(expression)
	if err != nil {
		return t, &ThresholdFault{Expression: expression, Problem: err.Error()}
	}
	return t, nil
}

func parseThreshold(expression string) (Threshold, error) {
	t := Threshold{Expression: strings.TrimSpace(expression)}
	at := strings.IndexAny(t.Expression, "<>")
	if at < 0 {
		return t, errors.New("no < <= > or >=")
	}
	left, right := t.Expression[:at], t.Expression[at+1:]
	t.Operator = t.Expression[at : at+1]
	if rest, ok := strings.CutPrefix(right, "="); ok {
		t.Operator, right = t.Operator+"=", rest
	}
	if err := t.name(strings.TrimSpace(left)); err != nil {
		return t, err
	}
	var err error
	t.limit, t.percent, err = parseLimit(strings.TrimSpace(right), t.metric)
	return t, err
}

// name splits a part from a metric. A part may have dots, so the longest known
// tail is the metric.
func (t *Threshold) name(text string) error {
	known := metrics()
	for _, tail := range tails(text) {
		m, ok := known[tail]
		if !ok {
			continue
		}
		t.Metric, t.metric, t.Part = tail, m, strings.TrimSuffix(strings.TrimSuffix(text, tail), ".")
		if m.ofRun && t.Part != "" {
			return fmt.Errorf("%s is of the whole run: write it without %q", tail, t.Part)
		}
		return nil
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, tail := range tails(text) {
		if near := profiles.Nearest(tail, names); near != "" {
			return fmt.Errorf("unknown metric %q, did you mean %s?", text, strings.TrimSuffix(text, tail)+near)
		}
	}
	return fmt.Errorf("unknown metric %q (see: loadgen list metrics)", text)
}

// tails are the text and what follows each of its dots.
func tails(text string) []string {
	out := []string{text}
	for i := range len(text) {
		if text[i] == '.' {
			out = append(out, text[i+1:])
		}
	}
	return out
}

// ParseThresholds reads the expressions of a manifest and checks the parts they
// name. The error joins a *ThresholdFault for each that will not do.
func ParseThresholds(m *rundir.Manifest) ([]Threshold, error) {
	var out []Threshold
	var faults []error
	for i, expression := range m.Thresholds {
		t, err := parseThreshold(expression)
		if err == nil {
			_, err = t.find(m)
		}
		if err != nil {
			faults = append(faults, &ThresholdFault{Index: i, Expression: expression, Problem: err.Error()})
			continue
		}
		out = append(out, t)
	}
	return out, errors.Join(faults...)
}

// functionPrefix begins the name of a function in a threshold. A phase that is
// called so as well is the phase.
const functionPrefix = "fn."

// wholeCycle is the name of all phases in cycle[N], unless a phase has it.
const wholeCycle = "cycle"

var inCycle = regexp.MustCompile(`^([^\[\]]+)\[([0-9]{1,9})\]$`)

// A part is what a threshold is about: some phases, or a function, or everything.
type part struct {
	phases   func(rundir.PhaseFact) bool // nil for none
	function int                         // -1 for none
}

// find looks up the part in a run.
func (t *Threshold) find(m *rundir.Manifest) (part, error) {
	if t.Part == "" {
		return part{function: -1}, nil
	}
	if name, ok := strings.CutPrefix(t.Part, functionPrefix); ok && !hasPhase(m, t.Part) {
		return findFunction(m, name)
	}
	name, cycle := t.Part, 0
	if found := inCycle.FindStringSubmatch(t.Part); found != nil {
		name = found[1]
		cycle, _ = strconv.Atoi(found[2]) // nine digits at most
		if last := cycles(m); cycle < 1 || cycle > last {
			return part{}, fmt.Errorf("no cycle %d: the run has 1 to %d", cycle, last)
		}
	}
	any := name == wholeCycle && cycle > 0 && !hasPhase(m, name)
	if !any && !hasPhase(m, name) {
		return part{}, errors.New(profiles.UnknownName("phase", name, phaseNames(m)))
	}
	return part{function: -1, phases: func(p rundir.PhaseFact) bool {
		return (any || p.Name == name) && (cycle == 0 || p.Cycle == cycle)
	}}, nil
}

func findFunction(m *rundir.Manifest, name string) (part, error) {
	if i := slices.Index(m.Functions, name); i >= 0 {
		return part{function: i}, nil
	}
	if len(m.Functions) == 0 {
		return part{}, fmt.Errorf("no function %q: the run has only one, which needs no name", name)
	}
	return part{}, errors.New(profiles.UnknownName("function", name, m.Functions))
}

func hasPhase(m *rundir.Manifest, name string) bool {
	return slices.ContainsFunc(m.Phases, func(p rundir.PhaseFact) bool { return p.Name == name })
}

func phaseNames(m *rundir.Manifest) (names []string) {
	for _, p := range m.Phases {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func cycles(m *rundir.Manifest) (last int) {
	for _, p := range m.Phases {
		last = max(last, p.Cycle)
	}
	return last
}

func parseLimit(text string, m metric) (limit float64, percent bool, err error) {
	switch m.kind {
	case aDuration, aSpan:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, false, fmt.Errorf("limit %q is not a duration such as %s", text, examples[m.kind])
		}
		if m.kind == aSpan {
			return d.Seconds(), false, nil
		}
		return float64(d), false, nil
	case aRate:
		number, ok := strings.CutSuffix(text, "/s")
		v, valid := plainNumber(number)
		if !ok || !valid {
			return 0, false, fmt.Errorf("limit %q is not a rate such as %s", text, examples[m.kind])
		}
		return v, false, nil
	case aSize:
		n, err := profiles.ParseSize(text)
		if err != nil {
			return 0, false, fmt.Errorf("limit %q is not a size such as %s", text, examples[m.kind])
		}
		return float64(n), false, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	v, valid := plainNumber(strings.TrimSpace(number))
	switch {
	case !valid && m.percentages():
		return 0, false, fmt.Errorf("limit %q is neither a number nor a percentage such as 1%%", text)
	case !valid:
		return 0, false, fmt.Errorf("limit %q is not a number such as %s", text, examples[m.kind])
	case percent && !m.percentages():
		return 0, false, fmt.Errorf("limit %q: this metric is a part of nothing: write a number", text)
	case percent:
		v /= 100
	}
	return v, percent, nil
}

func (m metric) percentages() bool { return m.kind == aShare || m.whole != nil }

func plainNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v >= 0 && !math.IsInf(v, 0) && !math.IsNaN(v)
}
