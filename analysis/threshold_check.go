package analysis

import (
	"strconv"
	"time"

	"edgebench/analysis/rundir"
)

// checkThresholds holds the manifest's thresholds against the run.
func checkThresholds(m *rundir.Manifest, tallies []rundir.Tally, s *Summary) ([]ThresholdResult, error) {
	out := []ThresholdResult{}
	thresholds, err := ParseThresholds(m)
	if err != nil {
		return nil, err
	}
	for _, t := range thresholds {
		of, err := t.find(m)
		if err != nil {
			return nil, err
		}
		about := subject{account: &s.Account, run: s}
		switch {
		case of.function >= 0:
			about.account = &s.Functions[of.function].Account
		case of.phases != nil:
			g := gather(m, tallies, of.phases)
			some := accountOf(&g.tally, g.extent)
			about.account = &some
		}
		out = append(out, t.check(about))
	}
	return out, nil
}

// check holds it against a subject. A part of nothing is no measurement: 0 errors
// of 0 requests meet no threshold.
func (t Threshold) check(of subject) ThresholdResult {
	value := t.metric.value(of)
	if t.metric.whole != nil && value != nil {
		whole := t.metric.whole(of.account)
		switch {
		case whole == 0:
			value = nil
		case t.percent:
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
	switch k := t.metric.kind; {
	case k == aDuration:
		return rounded(time.Duration(v)).String()
	case k == aSpan:
		return rounded(time.Duration(v * 1e9)).String()
	case k == aRate:
		return strconv.FormatFloat(v, 'f', 2, 64) + "/s"
	case k == aSize:
		return strconv.FormatFloat(v/1e6, 'f', 2, 64) + "MB"
	case t.percent:
		return strconv.FormatFloat(100*v, 'f', 2, 64) + "%"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
