package compare

import (
	"fmt"

	"edgebench/analysis/stats"
)

// A Drift is what a group's metrics did over its trials in the order they ran:
// a machine that slows down over a night looks like a property of what ran last.
type Drift struct {
	Letter string       `json:"letter"`
	Trials int          `json:"trials"`
	Why    string       `json:"why,omitempty"` // why nothing was tested
	Tests  []DriftOfOne `json:"metrics"`
}

// A DriftOfOne is one metric's test (Mann–Kendall), corrected by Holm over the
// metrics of its group.
type DriftOfOne struct {
	Metric string `json:"metric"`
	stats.Trend
	PHolm float64 `json:"p_holm"`
	Clear bool    `json:"clear"` // p_holm is below 5 %
}

// drifts tests every group. Simulated trials have no order in time.
func (s *Set) drifts(metrics []Metric) []Drift {
	out := make([]Drift, 0, len(s.Groups))
	for _, g := range s.Groups {
		d := Drift{Letter: g.Letter, Trials: len(g.Trials), Tests: []DriftOfOne{}}
		switch {
		case g.Simulated():
			d.Why = "simulated trials have no order in time"
		case len(g.Trials) < stats.MinTrend:
			d.Why = fmt.Sprintf("%s, fewer than %d", counted(len(g.Trials), "trial"), stats.MinTrend)
		default:
			d.test(metrics, g.Trials)
		}
		out = append(out, d)
	}
	return out
}

func (d *Drift) test(metrics []Metric, trials []*Trial) {
	var p []float64
	for _, m := range metrics {
		values, _ := m.values(trials)
		// What never changes cannot drift, and is not in the family (see constant).
		if t, ok := stats.MannKendall(values); ok && !constant(values) {
			d.Tests, p = append(d.Tests, DriftOfOne{Metric: m.Name, Trend: t}), append(p, t.P)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		d.Tests[i].PHolm, d.Tests[i].Clear = adjusted, adjusted < alpha
	}
}

// driftNotes name the metrics that rise or fall.
func (c *Comparison) driftNotes() []string {
	var out []string
	for _, d := range c.Drifts {
		for _, t := range d.Tests {
			if t.Clear {
				out = append(out, fmt.Sprintf("%s drifts: %s %s over its trials in the order they ran (Mann–Kendall S %+.0f, p %.2g after Holm); intervals assume it does not",
					d.Letter, t.Metric, map[bool]string{true: "rises", false: "falls"}[t.Statistic > 0], t.Statistic, t.PHolm))
			}
		}
	}
	return out
}
