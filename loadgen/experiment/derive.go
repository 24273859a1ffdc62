package experiment

import (
	"edgebench/analysis"
)

// Derive makes the derived files of a run directory from its raw ones.
func Derive(dir string) (*analysis.Summary, error) {
	summary, err := analysis.Summarize(dir)
	if err != nil {
		return nil, err
	}
	return summary, analysis.WriteSummary(dir, summary)
}
