package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"edgebench/analysis/rundir"
)

// A Threshold is a condition a run has to meet: [PHASE.|fn.FUNCTION.]METRIC
// OPERATOR LIMIT, for example "response.p99 < 900ms", "spike.cold.truth < 10%",
// "fn.resize.response.p99 < 2s". A phase name takes all its cycles together.
type Threshold struct {
	Expression string
	Part       string // a phase's name, or fn. and a function's; empty for the whole run
	Metric     string
	Operator   string // < <= > >=
	limit      float64
	kind       kind
	percent    bool
}

// A ThresholdResult is a threshold held against a run.
type ThresholdResult struct {
	Expression string `json:"expression"`
	Met        bool   `json:"met"`
	Value      string `json:"value"` // with its unit; "not measured" never meets a threshold
}

// ParseThreshold reads one expression. Whether a run has the phase or function
// is not known here; ParseThresholds checks that.
func ParseThreshold(expression string) (Threshold, error) {
	t := Threshold{Expression: strings.TrimSpace(expression)}
	at := strings.IndexAny(t.Expression, "<>")
	if at < 0 {
		return t, fmt.Errorf("threshold %q: no < <= > or >=", expression)
	}
	left, right := t.Expression[:at], t.Expression[at+1:]
	t.Operator = t.Expression[at : at+1]
	if rest, ok := strings.CutPrefix(right, "="); ok {
		t.Operator, right = t.Operator+"=", rest
	}
	known := metrics()
	t.Metric = strings.TrimSpace(left)
	m, ok := known[t.Metric]
	// A name may have dots, so the longest known tail is the metric.
	for i := 0; !ok && i < len(t.Metric); i++ {
		if t.Metric[i] != '.' {
			continue
		}
		if m, ok = known[t.Metric[i+1:]]; ok {
			t.Part, t.Metric = t.Metric[:i], t.Metric[i+1:]
		}
	}
	if !ok {
		names := make([]string, 0, len(known))
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		return t, fmt.Errorf("threshold %q: unknown metric %q; known are %s", expression, t.Metric, strings.Join(names, " "))
	}
	t.kind = m.kind
	var err error
	if t.limit, t.percent, err = parseLimit(strings.TrimSpace(right), m.kind); err != nil {
		return t, fmt.Errorf("threshold %q: %w", expression, err)
	}
	return t, nil
}

// ParseThresholds reads the expressions of a manifest and checks the phases and
// functions they name, all faults at once.
func ParseThresholds(m *rundir.Manifest) ([]Threshold, error) {
	var out []Threshold
	var faults []error
	for _, expression := range m.Thresholds {
		t, err := ParseThreshold(expression)
		if err == nil {
			err = t.find(m)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		out = append(out, t)
	}
	return out, errors.Join(faults...)
}

// functionPrefix begins the name of a function in a threshold. A phase that is
// called so as well is the phase.
const functionPrefix = "fn."

// isPhase reports whether the part is a phase's name.
func (t Threshold) isPhase(m *rundir.Manifest) bool {
	return slices.ContainsFunc(m.Phases, func(p rundir.PhaseFact) bool { return p.Name == t.Part })
}

// function is the index of the function that the part names, -1 for none.
func (t Threshold) function(m *rundir.Manifest) int {
	name, ok := strings.CutPrefix(t.Part, functionPrefix)
	if !ok {
		return -1
	}
	return slices.Index(m.Functions, name)
}

// find reports a part that the run does not have.
func (t Threshold) find(m *rundir.Manifest) error {
	if t.Part == "" || t.isPhase(m) || t.function(m) >= 0 {
		return nil
	}
	name, ok := strings.CutPrefix(t.Part, functionPrefix)
	switch {
	case !ok:
		return fmt.Errorf("threshold %q: no phase %q", t.Expression, t.Part)
	case len(m.Functions) == 0:
		return fmt.Errorf("threshold %q: no function %q: the run has only one, which needs no name", t.Expression, name)
	}
	return fmt.Errorf("threshold %q: no function %q", t.Expression, name)
}

func parseLimit(text string, k kind) (limit float64, percent bool, err error) {
	switch k {
	case aDuration:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, false, fmt.Errorf("limit %q is not a duration such as 900ms", text)
		}
		return float64(d), false, nil
	case aRate:
		number, ok := strings.CutSuffix(text, "/s")
		v, valid := plainNumber(number)
		if !ok || !valid {
			return 0, false, fmt.Errorf("limit %q is not a rate such as 20/s", text)
		}
		return v, false, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	v, valid := plainNumber(strings.TrimSpace(number))
	if !valid {
		return 0, false, fmt.Errorf("limit %q is neither a number nor a percentage such as 1%%", text)
	}
	if percent {
		v /= 100
	}
	return v, percent, nil
}

func plainNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && v >= 0 && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// checkThresholds holds the manifest's thresholds against the run.
func checkThresholds(m *rundir.Manifest, tallies []rundir.Tally, s *Summary) ([]ThresholdResult, error) {
	out := []ThresholdResult{}
	thresholds, err := ParseThresholds(m)
	if err != nil {
		return nil, err
	}
	for _, t := range thresholds {
		account := &s.Account
		switch {
		case t.Part == "":
		case t.isPhase(m):
			g := gather(m, tallies, func(p rundir.PhaseFact) bool { return p.Name == t.Part })
			of := accountOf(&g.tally, g.extent)
			account = &of
		default:
			account = &s.Functions[t.function(m)].Account
		}
		out = append(out, t.check(account))
	}
	return out, nil
}

func (t Threshold) check(a *Account) ThresholdResult {
	m := metrics()[t.Metric]
	value := m.value(a)
	if t.percent && m.whole != nil && value != nil {
		whole := m.whole(a)
		if whole == 0 {
			value = nil
		} else {
			value = new(*value / float64(whole))
		}
	}
	if value == nil {
		return ThresholdResult{t.Expression, false, "not measured"}
	}
	return ThresholdResult{t.Expression, t.met(*value), t.show(*value)}
}

func (t Threshold) met(v float64) bool {
	switch t.Operator {
	case "<":
		return v < t.limit
	case "<=":
		return v <= t.limit
	case ">":
		return v > t.limit
	}
	return v >= t.limit
}

func (t Threshold) show(v float64) string {
	switch {
	case t.kind == aDuration:
		return rounded(time.Duration(v)).String()
	case t.kind == aRate:
		return strconv.FormatFloat(v, 'f', 2, 64) + "/s"
	case t.percent:
		return strconv.FormatFloat(100*v, 'f', 2, 64) + "%"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
